import { KEY_USE_DAYS as KEPT_DAYS } from '../../auth/auth.jobs.ts'
import { startOfDay } from '../../auth/key-use-counter.ts'
import type { Context } from '../../context.ts'
import { badInput } from '../../errors.ts'
import { loaderByArguments } from '../../graphql/loaders.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { limits } from '../../limits.ts'
import { maskOf, namesIn, type PermissionName } from '../../permissions.ts'
import type { AccessKey } from './access-key.ts'
import { type FieldUse, selectKeyUse, selectKeyUseSince } from './key-usage.queries.ts'

const USUAL_DAYS = 90

/** The number of fields that each key is assumed to use per day, for the cost of an operation. */
const TYPICAL_FIELDS = 10

/** Before an operation runs, its cost includes the usage of this number of keys. */
const ASSUMED_KEYS = limits.accountAccessKeys

const DAY_MS = 86_400_000

/** Estimates the rows to read. After the operation runs, the caller pays only for the keys whose usage was read. */
export const rowsOfUsage = ({ days }: { days?: unknown }): { rows: number } => ({
  rows: ASSUMED_KEYS * rowsOfKey(typeof days === 'number' ? days : USUAL_DAYS),
})

const rowsOfKey = (days: number): number => days * TYPICAL_FIELDS

export async function listUsage(context: Context, { key }: AccessKey, days = USUAL_DAYS): Promise<FieldUse[]> {
  assertDays(days)
  return loadUses(context, days, key)
}

/**
 * Returns the permissions that the key did not use in the last `days` days. Returns null if the server has not counted
 * the key's uses for that many days. Throws BAD_USER_INPUT unless `days` is from 1 to `KEPT_DAYS`.
 */
export async function listUnused(
  context: Context,
  key: AccessKey,
  days = USUAL_DAYS,
): Promise<PermissionName[] | null> {
  assertDays(days)
  const start = startOf(context, days)
  if (key.created > start || (await countedSince(context)) > start) return null
  const uses = await loadUses(context, days, key.key)
  const used = maskOf(uses.filter((use) => use.uses > 0).map(({ permission }) => permission))
  return namesIn(key.permissions & ~used)
}

function assertDays(days: number): void {
  if (days < 1 || days > KEPT_DAYS) throw badInput(`days must be from 1 to ${KEPT_DAYS}, not ${days}`)
}

const startOf = ({ clock }: Pick<Context, 'clock'>, days: number): Date => new Date(clock().getTime() - days * DAY_MS)

const countedSince = perRequest(({ db, viewer }: Context) => selectKeyUseSince(db, viewer.accountId))

const loadUses = loaderByArguments(
  async (context: Context, days: number, keys: readonly string[]) => {
    context.rowMeter.add(() => keys.length * rowsOfKey(days))
    const since = startOfDay(startOf(context, days))
    const uses = await selectKeyUse(context.db, context.viewer.accountId, { keys, since })
    const byKey = Map.groupBy(uses, ({ key }) => key)
    return keys.map((key) => byKey.get(key) ?? [])
  },
  { cache: true },
)
