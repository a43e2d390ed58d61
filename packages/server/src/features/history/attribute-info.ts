import type { Context } from '../../context.ts'
import { walk } from '../../db/fair/user-database.ts'
import { limitExceeded } from '../../errors.ts'
import { loaderByArguments } from '../../graphql/loaders.ts'
import { limits } from '../../limits.ts'
import { isReadableName } from '../attributes/attribute-access.ts'
import { joinAttributeName, parseAttributeName, parseContext } from '../attributes/attribute-name.ts'
import { type Attributes, valueAt } from '../attributes/attributes.ts'
import {
  type AttributeOwner,
  type BaseOf,
  readAttributes,
  readOverrides,
  toAttributes,
} from '../attributes/read-attributes.ts'
import { isOwnSetting } from '../attributes/settings/own-settings.ts'
import { intervalsOf } from '../freshness/expected-intervals.ts'
import { isStale } from '../freshness/staleness.ts'
import { findTimes, type TimedValue } from '../freshness/value-times.ts'
import { type OwnedValue, type Owner, selectChangeTimes } from './attribute-history.queries.ts'
import { ASSUMED_SKIPPED } from './history-row-cost.ts'

/**
 * An attribute and its effective value. The value is null if the attribute is not set or is a group, or if the caller
 * cannot read the attribute.
 */
export interface AttributeInfo {
  owner: Owner
  name: string
  value: string | null
  setIn: string | null
  base: string | null
}

/** Null is equivalent to an omitted argument. */
export interface InfoArguments {
  names?: readonly string[] | null
  context?: string | null
}

export async function listAttributeInfo<Kind extends AttributeOwner>(
  context: Context,
  baseOf: BaseOf<Kind>,
  { holder, owner, args }: { holder: Kind; owner: Owner; args: InfoArguments },
): Promise<AttributeInfo[]> {
  if (args.names != null) assertNotTooMany(args.names.length)
  const parsed = args.names?.map((name, index) => parseAttributeName(name, `names[${index}]`))
  const contextName = parseContext(args.context, 'context')
  const [base, overrides] = await Promise.all([
    readAttributes(context, baseOf, { owner: holder, contextName: undefined }),
    contextName === undefined ? {} : readOverrides(context, holder, contextName),
  ])
  const values = toAttributes(base)
  const names = parsed ?? namesIn(values, overrides).map((name) => parseAttributeName(name, 'names'))
  assertNotTooMany(names.length)
  return names.map((name) => {
    const [below, override] = [valueAt(values, name), valueAt(overrides, name)]
    return {
      owner,
      name: joinAttributeName(name),
      value: override ?? below,
      setIn: override === null ? null : (contextName ?? null),
      base: override === null ? null : below,
    }
  })
}

function assertNotTooMany(count: number): void {
  if (count <= limits.namesPerTarget) return
  throw limitExceeded(
    `attributeInfo reads at most ${limits.namesPerTarget} names, found ${count}: select fewer names with the argument "names"`,
    { limit: limits.namesPerTarget },
  )
}

function namesIn(...sources: readonly Attributes[]): string[] {
  const names = sources.flatMap((attributes) =>
    Object.entries(attributes).flatMap(([name, value]) =>
      typeof value === 'string' ? [name] : Object.keys(value).map((subName) => `${name}.${subName}`),
    ),
  )
  return [...new Set(names)].sort()
}

/**
 * Returns when a value last changed, or null for a missing value and for a person's console setting. If a release that
 * did not record times may have changed the value, the time comes from the event log. If the log no longer contains the
 * event of the change, returns the time by which every server process had begun to record times.
 */
export async function findChangeTime(context: Context, info: AttributeInfo): Promise<Date | null> {
  const { owner, name, value, setIn } = info
  if (value === null) return null
  const place = { targetId: owner.id, context: setIn ?? undefined }
  if (isOwnSetting(context.viewer, place, { name: parseAttributeName(name, 'names') })) return null
  const { changed, since } = await findTimes(context, timedValue(info))
  if (changed !== undefined) return new Date(changed)
  const isAccount = owner.deviceId === null
  return (await loadChangeTime(context, { isAccount }, { owner, name, context: setIn, value })) ?? new Date(since)
}

/**
 * Returns the time of the value's last recorded write, or `timesSince` if that is later. Returns null for a missing
 * value. For a name without an expected interval, returns the result of `findChangeTime`.
 */
export async function findConfirmation(context: Context, info: AttributeInfo): Promise<Date | null> {
  if (info.value === null) return null
  if ((await findInterval(context, info)) === null) return findChangeTime(context, info)
  return new Date((await findTimes(context, timedValue(info))).confirmed)
}

/** Returns the expected interval in seconds, or null if the name has none or the caller cannot read the name. */
export const findInterval = async (context: Context, { name }: AttributeInfo): Promise<number | null> =>
  isReadableName(context.viewer, name) ? ((await intervalsOf(context)).get(name) ?? null) : null

export async function isValueStale(context: Context, info: AttributeInfo): Promise<boolean> {
  const seconds = await findInterval(context, info)
  if (info.value === null || seconds === null) return false
  return isStale(await findTimes(context, timedValue(info)), seconds, context.clock())
}

const timedValue = ({ owner, name, setIn }: AttributeInfo): TimedValue => ({ ownerId: owner.id, name, context: setIn })

/** The maximum number of values per statement, which limits the size of the statement's parameters. */
const MOST_VALUES = 5_000

/** Reads the account's values separately from those of devices and services (see `selectChangeTimes`). */
const loadChangeTime = loaderByArguments(
  ({ db, viewer, rowMeter }: Context, _of: { isAccount: boolean }, values: readonly OwnedValue[]) => {
    const owners = new Set(values.map(({ owner }) => owner.id)).size
    rowMeter.add(({ events }) => Math.min(owners * ASSUMED_SKIPPED, events))
    const reasons = ['changed: the server searches all attribute changes of the device, service, or account']
    return walk(db, reasons, (walking) => selectChangeTimes(walking, viewer.accountId, values))
  },
  { maxBatchSize: MOST_VALUES },
)
