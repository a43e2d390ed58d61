import { randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { ssoError } from '../../../auth/authentication-reasons.ts'
import type { Identity } from '../../../auth/sessions/single-sign-on/identity.ts'
import { takeAttempt } from '../../../auth/sessions/single-sign-on/sso-attempts.queries.ts'
import type { AdmittedPerson, LinkAttempt, SsoPeople } from '../../../auth/sessions/single-sign-on/sso-people.ts'
import type { Config } from '../../../config.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { insertAccount } from '../accounts.queries.ts'
import { isInvitedByEmail, type Joining, join, openInvitation } from '../invitations/invitations.ts'
import { insertMembership, insertPerson } from '../people/people.ts'
import { followGroups } from './group-memberships.ts'
import {
  findByEmail,
  findByIdentity,
  hasRoleFor,
  insertIdentity,
  lockByEmail,
  lockByIdentity,
  touchIdentity,
  writeEmail,
} from './identities.queries.ts'

export interface SsoPeopleDeps {
  db: Database
  clock: () => Date
  log: FastifyBaseLogger
  signUp: Config['oidcSignUp']
}

export const ssoPeople = (deps: SsoPeopleDeps): SsoPeople => ({
  admit: (identity, invitationHash) => admit(deps, identity, invitationHash),
  link: (identity, attempt) => link(deps, identity, attempt),
  async findTarget(identity) {
    const { db } = deps
    const found = (await findByIdentity(db, identity)) ?? (identity.email && (await findByEmail(db, identity.email)))
    return found ? { id: found.personId, email: found.email } : undefined
  },
})

async function admit(deps: SsoPeopleDeps, identity: Identity, invitationHash: Buffer | null): Promise<AdmittedPerson> {
  const known = await findKnown(deps, identity)
  const added = known === undefined ? await addPerson(deps, identity, invitationHash) : undefined
  // Another sign-in of the same person may have just linked the identity.
  const person = known ?? added ?? (await findKnown(deps, identity))
  if (person === undefined) throw ssoError('sso-failed')
  if (identity.groups === undefined)
    deps.log.warn(
      { personId: person.personId },
      'the provider sent no groups, so group-based memberships do not change',
    )
  else await followGroups(deps, person, identity.groups)
  if (invitationHash !== null && added?.hasJoined !== true) await acceptInvitation(deps, person, invitationHash)
  return person
}

/**
 * Finds the person with the identity. If the provider sends a different verified address than last time, updates the
 * person's address, unless that address is in use. Returns undefined if no person has the identity, or if an operator
 * has just removed it. Throws if the person is disabled.
 */
async function findKnown({ db, clock }: SsoPeopleDeps, identity: Identity): Promise<AdmittedPerson | undefined> {
  return db.transaction().execute(async (transaction) => {
    // Lock the person before the identity, in the same order as a reset. Otherwise, the two could deadlock.
    const found = await lockByIdentity(transaction, identity)
    if (found === undefined) return undefined
    const { personId, isDisabled, statedEmail } = found
    if (isDisabled) throw ssoError('sso-disabled')
    const { email, emailVerified } = identity
    const hasChanged = email !== null && email.toLowerCase() !== statedEmail?.toLowerCase()
    if (hasChanged && emailVerified && statedEmail !== null) await writeEmail(transaction, personId, email)
    await touchIdentity(transaction, identity, { email: email ?? statedEmail, now: clock() })
    const present = await findByIdentity(transaction, identity)
    return present && { personId, email: present.email }
  })
}

interface AddedPerson extends AdmittedPerson {
  hasJoined?: true
}

/**
 * Links the identity to the person with the same address, or creates a person. Returns undefined if another sign-in
 * created the person first, or linked the identity to that person first. Throws if the identity may not sign in.
 */
async function addPerson(
  { db, clock, signUp }: SsoPeopleDeps,
  identity: Identity,
  invitationHash: Buffer | null,
): Promise<AddedPerson | undefined> {
  const { email, emailVerified, name, groups = [] } = identity
  if (email === null) throw ssoError('sso-failed')
  const now = clock()
  const invitation = invitationHash && (await openInvitation(db, invitationHash, now).catch(() => undefined))
  return db.transaction().execute(async (transaction) => {
    const existing = await lockByEmail(transaction, email)
    if (existing !== undefined) {
      if (!emailVerified || !existing.emailConfirmed) throw ssoError('sso-link-required')
      if (existing.isDisabled) throw ssoError('sso-disabled')
      const { personId } = existing
      const isLinked = await insertIdentity(transaction, identity, { personId, email, now })
      return isLinked ? { personId, email: existing.email } : undefined
    }
    const isMapped = signUp !== 'invited' && (await hasRoleFor(transaction, groups))
    if (!invitation && !isMapped && signUp !== 'anyone') {
      // Only the owner of the address may learn whether an invitation exists for it. To accept the invitation, the
      // owner must use the invitation's link.
      const isInvited = emailVerified && (await isInvitedByEmail(transaction, email, now))
      throw ssoError(isInvited ? 'sso-use-invitation' : 'sso-not-invited')
    }
    const personId = randomUUID()
    const person = {
      id: personId,
      email,
      emailConfirmed: emailVerified,
      name: name?.slice(0, 100) ?? null,
      passwordHash: null,
    }
    if (!(await insertPerson(transaction, person))) return undefined
    // The identity has just been linked to a person with another address. A new sign-in finds that person.
    if (!(await insertIdentity(transaction, identity, { personId, email, now }))) throw ssoError('sso-failed')
    if (invitationHash !== null && invitation) {
      await joinAsInvited(transaction, { ...invitation, tokenHash: invitationHash, now }, { personId, email })
      return { personId, email, hasJoined: true }
    }
    if (!isMapped) {
      if (!(await insertAccount(transaction, person))) throw ssoError('sso-link-required')
      await insertMembership(transaction, { accountId: personId, personId, roleId: 'owner', source: 'founder' })
    }
    return { personId, email }
  })
}

/** Throws if the person cannot join, so that the transaction does not create the person. */
async function joinAsInvited(transaction: Database, joining: Joining, person: AdmittedPerson): Promise<void> {
  const viewer = { accountId: joining.accountId, ...person, readOnly: false }
  await join(transaction, joining, { person, viewer }).catch((error: unknown) => {
    throw error instanceof ApiError ? ssoError('sso-not-invited') : error
  })
}

/**
 * Accepts the invitation, or logs a warning if that is not possible. A person who is already a member, or whose
 * invitation is no longer open, can still sign in.
 */
async function acceptInvitation(
  { db, clock, log }: SsoPeopleDeps,
  person: AdmittedPerson,
  tokenHash: Buffer,
): Promise<void> {
  const now = clock()
  try {
    const found = await openInvitation(db, tokenHash, now)
    const viewer = { accountId: found.accountId, ...person, readOnly: false }
    const joining = { ...found, tokenHash, now }
    await db.transaction().execute((transaction) => join(transaction, joining, { person, viewer }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    log.warn({ personId: person.personId, code: error.code }, 'could not accept an invitation during single sign-on')
  }
}

/**
 * Completes the attempt of a signed-in person to link the identity. Throws if the attempt has expired or was deleted,
 * for example because the person's sessions ended. Also throws if the identity belongs to another person.
 */
async function link({ db, clock }: SsoPeopleDeps, identity: Identity, attempt: LinkAttempt): Promise<void> {
  const { personId } = attempt
  await db.transaction().execute(async (transaction) => {
    const linked = await insertIdentity(transaction, identity, { personId, email: identity.email, now: clock() })
    if (!linked && (await findByIdentity(transaction, identity))?.personId !== personId)
      throw ssoError('sso-link-required')
    // The insertion waits for any reset, which deletes the attempt, so the check must come after the insertion.
    if ((await takeAttempt(transaction, attempt, clock())) === undefined) throw ssoError('sso-expired')
  })
}
