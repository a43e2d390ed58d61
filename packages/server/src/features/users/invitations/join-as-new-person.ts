import { randomUUID } from 'node:crypto'
import { insertPasskey } from '../../../auth/sessions/passkeys.queries.ts'
import type { InvitationSummary, Invitations, JoiningPerson } from '../../../auth/sessions/sign-in/invitation-types.ts'
import { findPassword } from '../../../auth/sessions/sign-in/sign-in.queries.ts'
import { hashToken } from '../../../auth/sessions/tokens.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError, badInput } from '../../../errors.ts'
import { findAccount, lockAccount } from '../accounts.queries.ts'
import { insertPerson } from '../people/people.ts'
import { getRole } from '../roles/roles.ts'
import { assertEmail } from '../users.ts'
import { unknownInvitation } from './invitation.ts'
import { findInvitation, lockInvitation } from './invitations.queries.ts'
import { join, openInvitation } from './invitations.ts'

interface InvitationDeps {
  db: Database
  clock: () => Date
}

async function describeInvitation({ db, clock }: InvitationDeps, token: string): Promise<InvitationSummary> {
  const found = await openInvitation(db, hashToken(token), clock())
  const invitation = await findInvitation(db, found.accountId, found.id)
  const account = await findAccount(db, found.accountId)
  if (invitation === undefined || account === undefined) throw unknownInvitation()
  const role = await getRole(db, found.accountId, invitation.roleId)
  const { email, expires } = invitation
  return { account: { email: account.email, name: account.name }, email, role: role.name, expires }
}

async function getNewAddress(
  { db, clock }: InvitationDeps,
  { token, email: given }: Pick<JoiningPerson, 'token' | 'email'>,
): Promise<string> {
  const found = await openInvitation(db, hashToken(token), clock())
  const email = addressOf(await findInvitation(db, found.accountId, found.id), given)
  if ((await findPassword(db, email)) !== undefined) throw personExists(email)
  return email
}

function addressOf(invitation: Pick<InvitationSummary, 'email'> | undefined, given: string | null): string {
  const email = invitation?.email ?? given
  if (email === null) throw badInput('email is required, because the invitation contains no email address')
  assertEmail(email, 'email')
  return email
}

const personExists = (email: string): ApiError =>
  new ApiError('CONFLICT', `a person with the email address ${JSON.stringify(email)} already exists: sign in first`)

async function joinAsNewPerson(
  { db, clock }: InvitationDeps,
  { token, email: given, name, credential }: JoiningPerson,
): Promise<{ personId: string; email: string }> {
  const now = clock()
  const tokenHash = hashToken(token)
  const found = await openInvitation(db, tokenHash, now)
  return db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, found.accountId)
    const invitation = await lockInvitation(transaction, found.accountId, found.id)
    const email = addressOf(invitation, given)
    const id = randomUUID()
    // The caller may have received the link from another person, so the link does not prove who owns the email address.
    const passwordHash = 'passwordHash' in credential ? credential.passwordHash : null
    if (!(await insertPerson(transaction, { id, email, emailConfirmed: false, name, passwordHash })))
      throw personExists(email)
    if ('passkey' in credential && !(await insertPasskey(transaction, id, credential.passkey)))
      throw new ApiError('CONFLICT', 'this passkey is already registered: sign in with it, or use another passkey')
    const viewer = { accountId: found.accountId, email, personId: id, readOnly: false }
    await join(transaction, { ...found, tokenHash, now }, { person: { personId: id, email }, viewer })
    return { personId: id, email }
  })
}

export const invitationPage = (deps: InvitationDeps): Invitations => ({
  describe: (token) => describeInvitation(deps, token),
  newAddress: (joining) => getNewAddress(deps, joining),
  join: (joining) => joinAsNewPerson(deps, joining),
})
