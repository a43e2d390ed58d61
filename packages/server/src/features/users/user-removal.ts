import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import { countContents, countOtherAccounts } from './accounts.queries.ts'
import { endMembershipOf } from './members/members.ts'
import { replaceWithRemovedPerson, selectAccountsOf } from './people/people.queries.ts'
import { type RecordDeps, recordInstallationEvent } from './record-installation-event.ts'
import { disableUser, findUser } from './user-administration.ts'
import {
  deleteAccount,
  deleteBatch,
  detachFounder,
  replaceContact,
  selectAccountsWithoutOtherOwner,
  tablesInOrder,
  type UserTable,
} from './user-removal.queries.ts'

export interface PlannedRemoval {
  id: string
  email: string
  /** The accounts that the removal would leave without an owner who can sign in. */
  accounts: { accountId: string; email: string }[]
  /** The number of devices in `accounts`. */
  devices: number
  /** The number of access keys in `accounts`. */
  accessKeys: number
}

/** Returns what the removal of a user would delete with `withAccounts`. Throws the same errors as `findUser`. */
export async function planRemoval(db: Database, address: string): Promise<PlannedRemoval> {
  const { id, email } = await findUser(db, address)
  const accounts = await selectAccountsWithoutOtherOwner(db, id)
  const plan = { id, email, accounts, devices: 0, accessKeys: 0 }
  for (const { accountId } of accounts) {
    const { devices, accessKeys } = await countContents(db, accountId)
    plan.devices += devices
    plan.accessKeys += accessKeys
  }
  return plan
}

export interface Removal {
  /** Whether to delete the accounts that the removal would leave without an owner who can sign in, and their data. */
  withAccounts?: boolean
  /** Whether to forget the user's email address, which otherwise identifies the user in events. */
  erase?: boolean
  /** Called after each batch with the total number of deleted rows. */
  onProgress?: (rows: number) => void
  now: Date
  log: RecordDeps['log']
}

/**
 * Removes a user. Deletes the rows of accounts in batches, so that other users do not wait. An interrupted removal
 * continues when it runs again. Throws the same errors as `findUser`, and CONFLICT if the user joins an account during
 * the removal. Also throws CONFLICT if no account would remain, because a server would then create another owner at its
 * next start. Unless `withAccounts` is set, also throws CONFLICT if an account would have no owner who can sign in.
 * Records the removal in the event log of the installation's owner.
 */
export async function removeUser(db: Database, address: string, removal: Removal): Promise<void> {
  const { now, log, erase = false } = removal
  const { id, email, accounts } = await planRemoval(db, address)
  const deleted = accounts.map(({ accountId }) => accountId)
  if ((await countOtherAccounts(db, deleted)) === 0)
    throw new ApiError('CONFLICT', 'no account would remain: make another member an owner, or add another user first')
  if (accounts.length > 0 && removal.withAccounts !== true) {
    const named = accounts.map((account) => account.email).join(', ')
    const message = `these accounts would have no owner who can sign in: ${named}; make another member an owner first, or delete the accounts with --with-accounts`
    throw new ApiError('CONFLICT', message, { reason: 'last-owner' })
  }
  const name = erase ? erasedAddress(id) : email
  await disableUser(db, email, now, { shownAs: name })
  await deleteAccounts(db, deleted, removal)
  for (const { accountId } of await selectAccountsOf(db, id))
    await leave(db, accountId, { person: { personId: id, email }, name, erase })
  await db.transaction().execute(async (transaction) => {
    if (!(await replaceWithRemovedPerson(transaction, { id, email: name, now })))
      throw new ApiError('CONFLICT', 'the user joined an account during the removal: run the command again')
    await detachFounder(transaction, id)
  })
  const targets = [{ id, name, kind: 'user' as const }]
  await recordInstallationEvent({ db, log }, { type: 'USER_REMOVE', targets, data: {} })
}

/** Returns a placeholder. It is never a real address, because the top-level domain `invalid` is reserved (RFC 2606). */
const erasedAddress = (id: string): string => `removed-${id}@invalid`

async function deleteAccounts(
  db: Database,
  accountIds: readonly string[],
  { onProgress }: Pick<Removal, 'onProgress'>,
): Promise<void> {
  let rows = 0
  const deleteAll = async (accountId: string, table: UserTable): Promise<void> => {
    for (;;) {
      const deleted = await deleteBatch(db, accountId, table)
      if (deleted === 0) return
      rows += deleted
      onProgress?.(rows)
    }
  }
  for (const accountId of accountIds) {
    for (const table of tablesInOrder) await deleteAll(accountId, table)
    await deleteAccount(db, accountId)
    // Requests or jobs that were running may have recorded events during the removal.
    await deleteAll(accountId, 'event')
  }
}

/** Ends the person's membership. With `erase`, the event and the account's contact do not keep the person's address. */
function leave(
  db: Database,
  accountId: string,
  { person, name, erase }: { person: { personId: string; email: string }; name: string; erase: boolean },
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    if (erase) await replaceContact(transaction, accountId, person)
    const viewer: Viewer = { accountId, email: name, readOnly: false, isServer: true }
    await endMembershipOf({ db: transaction, viewer }, { personId: person.personId, email: name })
  })
}
