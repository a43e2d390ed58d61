import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { isBuiltIn } from '../../../permissions.ts'
import { lockAccount } from '../accounts.queries.ts'
import { changeGroupMembership } from '../members/members.ts'
import type { Role } from '../roles/role.ts'
import { readRoles } from '../roles/roles.ts'
import { selectGroupAccounts } from './identities.queries.ts'

interface GroupDeps {
  db: Database
  log: FastifyBaseLogger
}

/** Changes the person's memberships to match the groups. Memberships that do not result from groups stay unchanged. */
export async function followGroups(
  { db, log }: GroupDeps,
  person: { personId: string; email: string },
  groups: readonly string[],
): Promise<void> {
  const { personId } = person
  for (const accountId of await selectGroupAccounts(db, { personId, groups })) {
    try {
      await db.transaction().execute(async (transaction) => {
        await lockAccount(transaction, accountId)
        const role = roleFor(await readRoles(transaction, accountId), groups)
        await changeGroupMembership(transaction, accountId, { person, role })
      })
    } catch (error) {
      // The last owner must stay, and a full account accepts no further members. Neither case affects the other
      // accounts.
      if (!(error instanceof ApiError)) throw error
      log.warn({ accountId, personId, reason: error.message }, 'could not change a group-based membership')
    }
  }
}

/**
 * Returns the alphabetically first custom role that has one of the groups. Without such a role, returns the built-in
 * role with the fewest permissions that has one of the groups. Returns undefined if no role has one of them.
 */
function roleFor(roles: readonly Role[], groups: readonly string[]): Role | undefined {
  const matching = roles.filter((role) => role.groups.some((group) => groups.includes(group)))
  return matching.find(({ id }) => !isBuiltIn(id)) ?? matching[0]
}
