import type { Context } from '../../context.ts'
import { type LimitName, limits } from '../../limits.ts'
import type { Limit } from '../../resolvers.generated.ts'
import { countAccessKeys } from '../access-keys/access-keys.ts'
import { countRegistrationCodes } from '../registration-codes/registration-codes.ts'
import { countWebhooks } from '../webhooks/webhooks.ts'

/** How much is used of the bounds that hold for a user as a whole. */
const counts: Partial<Record<LimitName, (context: Context) => Promise<number>>> = {
  accessKeys: countAccessKeys,
  registrationCodes: countRegistrationCodes,
  webhooks: countWebhooks,
}

/** Every bound in force, and `firstRecord`, which is a setting of the server. */
export async function listLimits(context: Context): Promise<Limit[]> {
  const names = Object.keys(limits) as LimitName[]
  const listed = names.map(async (name) => ({
    name,
    value: limits[name],
    used: (await counts[name]?.(context)) ?? null,
  }))
  return [...(await Promise.all(listed)), { name: 'firstRecord', value: context.firstRecord, used: null }]
}
