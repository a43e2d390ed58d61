import type { Context } from '../../context.ts'
import { type LimitName, limits } from '../../limits.ts'
import { isBuiltIn } from '../../permissions.ts'
import type { Limit } from '../../resolvers.generated.ts'
import { countAccessKeys } from '../access-keys/access-keys.ts'
import { countIntervals } from '../freshness/freshness.ts'
import { countRegistrationCodes } from '../registration-codes/registration-codes.ts'
import { countViews } from '../views/views.ts'
import { countWebhooks } from '../webhooks/webhooks.ts'
import { countInvitations } from './invitations/invitations.queries.ts'
import { countMembers } from './members/members.queries.ts'
import { selectRoles } from './roles/roles.queries.ts'

/** The functions that count the current usage. For all other limits in `limits`, the server reports no usage. */
const counts: Partial<Record<LimitName, (context: Context) => Promise<number>>> = {
  accessKeys: async (context) => (await countAccessKeys(context)).made,
  accountAccessKeys: async (context) => (await countAccessKeys(context)).account,
  expectedIntervals: countIntervals,
  invitations: ({ db, viewer, clock }) => countInvitations(db, viewer.accountId, clock()),
  members: ({ db, viewer }) => countMembers(db, viewer.accountId),
  registrationCodes: countRegistrationCodes,
  roles: async ({ db, viewer }) => (await selectRoles(db, viewer.accountId)).filter(({ id }) => !isBuiltIn(id)).length,
  views: countViews,
  webhooks: countWebhooks,
}

/** Lists the limits in `limits`, the storage limits from the settings, and the setting `firstRecord`. */
export async function listLimits(context: Context): Promise<Limit[]> {
  const names = Object.keys(limits) as LimitName[]
  const listed = names.map(async (name) => ({
    name,
    value: limits[name],
    used: (await counts[name]?.(context)) ?? null,
  }))
  return [
    ...(await Promise.all(listed)),
    ...storageLimits(context),
    { name: 'firstRecord', value: context.firstRecord, used: null },
  ]
}

const MEBIBYTE = 1024 * 1024
const MAX_INT = 2 ** 31 - 1

/** Returns the storage limits in whole mebibytes, because the number of bytes per day can exceed the range of Int. */
function storageLimits({ storage, viewer }: Context): Limit[] {
  const { devicePerDay, accountPerDay, accountUsed } = storage.usage(viewer.accountId)
  const inMebibytes = (bytes: number): number => Math.min(Math.floor(bytes / MEBIBYTE), MAX_INT)
  return [
    { name: 'deviceMebibytesPerDay', value: inMebibytes(devicePerDay), used: null },
    { name: 'accountMebibytesPerDay', value: inMebibytes(accountPerDay), used: inMebibytes(accountUsed) },
  ]
}
