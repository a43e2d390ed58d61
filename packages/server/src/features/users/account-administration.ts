import { randomUUID } from 'node:crypto'
import { lockPerson } from '../../auth/sessions/sign-in/sign-in.queries.ts'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { assertName, assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { recordEvents } from '../events/record.ts'
import { insertOwnedAccount, lockAccount, selectAccounts } from './accounts.queries.ts'
import { addMember, personTarget } from './members/members.ts'
import { insertMembership } from './people/people.queries.ts'
import { getRole } from './roles/roles.ts'

export type { AccountSummary } from './accounts.queries.ts'

/** Lists all accounts, so only operators may use this function. */
export const listAccounts = selectAccounts

/** Creates an account. Throws NOT_FOUND if no user has the owner's email address. */
export function addAccount(
  db: Database,
  { name, owner }: { name: string; owner: string },
): Promise<{ id: string; name: string; owner: string }> {
  assertName(name, 'name', limits.userNameLength)
  return db.transaction().execute(async (transaction) => {
    const personId = await lockPerson(transaction, owner)
    if (personId === undefined) throw notFound('user', owner)
    const id = randomUUID()
    // Servers of the previous release require each account to have a unique email address.
    await insertOwnedAccount(transaction, {
      id,
      email: `${id}@account.invalid`,
      contactEmail: owner,
      name,
      founderId: personId,
    })
    await insertMembership(transaction, { accountId: id, personId, roleId: 'owner', source: 'operator' })
    await recordJoin(transaction, { accountId: id, personId, email: owner, role: 'owner' })
    return { id, name, owner }
  })
}

/**
 * Makes a person a member of an account. Throws NOT_FOUND if the account or the role does not exist. Throws CONFLICT if
 * the person is already a member, and LIMIT_EXCEEDED if the account cannot have more members.
 */
export async function addToAccount(
  transaction: Database,
  { personId, email }: { personId: string; email: string },
  { accountId, roleId }: { accountId: string; roleId: string },
): Promise<void> {
  assertStorable(accountId, 'account')
  assertStorable(roleId, 'role')
  if (!(await lockAccount(transaction, accountId))) throw notFound('account', accountId)
  const role = await getRole(transaction, accountId, roleId)
  await addMember(transaction, accountId, { personId, role, source: 'operator' })
  await recordJoin(transaction, { accountId, personId, email, role: role.name })
}

async function recordJoin(
  transaction: Database,
  { accountId, personId, email, role }: { accountId: string; personId: string; email: string; role: string },
): Promise<void> {
  const viewer = { accountId, email, readOnly: false, isServer: true }
  const targets = [personTarget({ personId, email })]
  const data = { email, role, source: 'operator' }
  await recordEvents(transaction, { viewer }, [{ type: 'MEMBER_JOIN', targets, data }])
}
