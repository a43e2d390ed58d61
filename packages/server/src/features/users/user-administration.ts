import { deleteSessions } from '../../auth/sessions/sessions.queries.ts'
import { deleteSteps, lockPerson } from '../../auth/sessions/sign-in/sign-in.queries.ts'
import { createSignInLink } from '../../auth/sessions/sign-in/sign-in-link.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { reloadAccessKeys } from '../access-keys/access-keys.ts'
import { recheckDevices } from '../devices/changes/recheck-connected-devices.ts'
import { countContents } from './accounts.queries.ts'
import {
  disableAccountsOf,
  enableAccountsOf,
  findPerson,
  isDisabled,
  type StoredPerson,
  selectAccountsOf,
  selectByContact,
  selectUsers,
  type UserSummary,
  writeDisabled,
} from './people/people.queries.ts'
import { recordUserEvents } from './record-user-events.ts'

export type { UserSummary } from './people/people.queries.ts'

/** Lists all users, so only operators may use this function. */
export const listUsers = (db: Database): Promise<UserSummary[]> => selectUsers(db)

/**
 * Finds a user by the user's address or the address of the user's own account. The user may have no account. Throws
 * NOT_FOUND if there is no such user, and CONFLICT if several accounts have the address but no user does.
 */
export async function findUser(
  db: Database,
  address: string,
): Promise<StoredPerson & Pick<UserSummary, 'devices' | 'accessKeys'>> {
  const user = await db.transaction().execute((transaction) => findForUpdate(transaction, address))
  return { ...user, ...(await countContents(db, user.id)) }
}

export interface Disabled {
  id: string
  sessions: number
}

/**
 * Disables a user. Within a second, the user's sign-ins, sessions, and personal access keys stop working on every
 * server. In accounts without another enabled member, all access keys, device connections, registration codes, streams,
 * and download links also stop working. Data is retained. `shownAs` replaces the address in events. Throws the same
 * errors as `findUser`.
 */
export function disableUser(
  db: Database,
  email: string,
  now: Date,
  { shownAs }: { shownAs?: string } = {},
): Promise<Disabled> {
  return db.transaction().execute(async (transaction) => {
    const user = await findForUpdate(transaction, email)
    const { id } = user
    await writeDisabled(transaction, id, now)
    await disableAccountsOf(transaction, id, now)
    const sessions = await deleteSessions(transaction, id, 'all')
    await deleteSteps(transaction, id)
    await reloadKeysIn(transaction, id)
    await recheckDevices(transaction)
    const shown = shownAs === undefined ? user : { ...user, email: shownAs }
    await recordUserEvents(transaction, shown, [{ type: 'USER_DISABLE', data: { sessions } }])
    return { id, sessions }
  })
}

/**
 * Enables a user and the user's disabled accounts. Sessions that `disableUser` ended are not restored. Throws the same
 * errors as `findUser`.
 */
export function enableUser(db: Database, email: string): Promise<{ id: string }> {
  return db.transaction().execute(async (transaction) => {
    const user = await findForUpdate(transaction, email)
    const { id } = user
    await writeDisabled(transaction, id, null)
    await enableAccountsOf(transaction, id)
    await reloadKeysIn(transaction, id)
    await recordUserEvents(transaction, user, [{ type: 'USER_ENABLE' }])
    return { id }
  })
}

/**
 * Creates a sign-in link, which the user can open once, within ten minutes. Throws the same errors as `findUser`, and
 * CONFLICT if the user is disabled.
 */
export function linkUser(db: Database, email: string, now: Date): Promise<SignInLink> {
  return db.transaction().execute(async (transaction) => {
    const user = await findForUpdate(transaction, email)
    if (await isDisabled(transaction, user.id))
      throw new ApiError('CONFLICT', 'the user is disabled: enable the user first')
    return { email: user.email, ...(await createSignInLink(transaction, user.id, now)) }
  })
}

export interface SignInLink {
  email: string
  token: string
  expires: Date
}

/** Each of the person's accounts may contain personal keys of the person. */
async function reloadKeysIn(transaction: Database, personId: string): Promise<void> {
  for (const { accountId } of await selectAccountsOf(transaction, personId))
    await reloadAccessKeys(transaction, accountId)
}

/**
 * Finds the user as `findUser` does, and locks the user. Returns the address that the database stores, which can differ
 * from `email`.
 */
async function findForUpdate(transaction: Database, email: string): Promise<StoredPerson> {
  const id = (await lockPerson(transaction, email)) ?? (await lockByContact(transaction, email))
  const user = id === undefined ? undefined : await findPerson(transaction, id)
  if (user === undefined) throw notFound('user', email)
  return user
}

async function lockByContact(transaction: Database, address: string): Promise<string | undefined> {
  const [found, another] = await selectByContact(transaction, address)
  if (another !== undefined)
    throw new ApiError(
      'CONFLICT',
      `several accounts have the contact address ${address}: use the email address that the user signs in with`,
    )
  return found && lockPerson(transaction, found.email)
}
