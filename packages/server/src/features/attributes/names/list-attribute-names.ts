import { setTimeout } from 'node:timers/promises'
import type { ResolvedFilter } from '@muster/filter'
import type { Context } from '../../../context.ts'
import { walk } from '../../../db/fair/user-database.ts'
import { ApiError } from '../../../errors.ts'
import { perRequest } from '../../../graphql/per-request.ts'
import { limits } from '../../../limits.ts'
import { insideOf, namesOf } from '../../../restriction.ts'
import { countDevices } from '../../devices/list/device-list.queries.ts'
import { isReadableName } from '../attribute-access.ts'
import {
  type AttributeName,
  countNamesInside,
  countNamesOnTargets,
  findRecentTargets,
  type NameCount,
  type RecentChanges,
  readRecentChanges,
} from './attribute-names.queries.ts'
import type { CountedNames } from './count-attribute-names.ts'
import { findSummary, type NameSummary } from './name-summary.queries.ts'

/** In an account with at most this many devices, counts are exact: after a change, a request counts the names again. */
export const EXACT_DEVICES = 2_000
/** The age, in seconds, after which the counts of a larger account are out of date if later changes can affect them. */
const MAX_AGE_SECONDS = 60
/** The age, in seconds, after which counts are out of date even without changes. */
const MAX_UNCHANGED_AGE_SECONDS = 3_600
/**
 * The age, in seconds, after which a request that may wait for a new count waits for it. One day is also the shortest
 * retention of events.
 */
const MAX_RETURNED_AGE_SECONDS = 86_400
/** The maximum number of events that a request reads in addition to the summary, newest first. */
const RECENT_EVENTS = 20_000

/** The reason that an error message gives if counting the names on a restricted viewer's devices takes too long. */
const COUNTING = ['the server counts the attribute names of every device that you can access']
/** How long, in milliseconds, a request waits by default while the server counts the names of a large account. */
const MAX_WAIT_MS = 10_000

interface ListOptions {
  /**
   * Whether to wait for a new count if more events than a request reads may have followed the summary. Without a new
   * count, a name could be missing.
   */
  isComplete?: boolean
  /**
   * The maximum number of milliseconds to wait for a count. The default is `MAX_WAIT_MS`. With 0, a large account's
   * list contains only the names that are already known.
   */
  waitMs?: number
}

/**
 * Names come from a summary and later events. If the summary is out of date, the server counts the names again. In an
 * account with many devices, the request returns the previous counts instead of waiting. If there are none, or if they
 * are more than a day old, the request waits. Throws UNAVAILABLE if the request waits longer than `MAX_WAIT_MS`.
 */
export const listAttributeNames = perRequest((context: Context) => listReadable(context, {}))

/** Like `listAttributeNames`, but waits for a new count if a name could otherwise be missing. */
export const listEveryAttributeName = perRequest((context: Context) => listReadable(context, { isComplete: true }))

/** Like `listEveryAttributeName`, but waits for a required count, however long it takes. */
export const waitForEveryAttributeName = (context: Context): Promise<AttributeName[]> =>
  listReadable(context, { isComplete: true, waitMs: Infinity })

/** Does not wait while the server counts the names of a large account, so the list may be incomplete or empty. */
export const listCountedNames = (context: Context): Promise<AttributeName[]> => listReadable(context, { waitMs: 0 })

/**
 * Returns true, and begins a count, if the names of a large account were not counted within the last day. Returns false
 * for a viewer who cannot reach all devices. Until the count ends, some names in use may be unknown.
 */
export async function isCountOverdue(context: Context): Promise<boolean> {
  const { db, viewer } = context
  // For a viewer who is restricted to some devices, each request counts the names.
  if (insideOf(viewer) !== undefined) return false
  const summary = await findSummary(db, viewer.accountId)
  if (summary !== undefined && summary.age <= MAX_RETURNED_AGE_SECONDS) return false
  if ((summary?.devices ?? (await countDevices(db, viewer.accountId, {}))) <= EXACT_DEVICES) return false
  beginCount(context, summary)
  return true
}

async function listReadable(context: Context, options: ListOptions): Promise<AttributeName[]> {
  const names = await listAll(context, options)
  return namesOf(context.viewer) === undefined
    ? names
    : names.filter(({ name }) => isReadableName(context.viewer, name))
}

async function listAll(
  context: Context,
  { isComplete = false, waitMs = MAX_WAIT_MS }: ListOptions,
): Promise<AttributeName[]> {
  const { db, viewer, nameCounts, rowMeter } = context
  const { accountId } = viewer
  const inside = insideOf(viewer)
  if (inside !== undefined) return listNamesInside(context, inside)
  const summary = await findSummary(db, accountId)
  if (summary !== undefined) {
    const recent = await readRecentChanges(db, accountId, { after: summary.eventId, limit: RECENT_EVENTS })
    if (isCurrent(summary, recent)) return withRecentChanges(context, summary, recent)
    const isYoung = summary.age <= MAX_RETURNED_AGE_SECONDS || waitMs === 0
    const hasAll = !isComplete || recent.events < RECENT_EVENTS
    if (summary.devices > EXACT_DEVICES && isYoung && hasAll) {
      beginCount(context, summary)
      return withRecentChanges(context, summary, recent)
    }
  }
  if ((summary?.devices ?? (await countDevices(db, accountId, {}))) <= EXACT_DEVICES) {
    rowMeter.add(({ devices }) => devices)
    // A running count may have begun before the viewer's last write, so the request starts a new count.
    return sorted((await nameCounts.count(accountId, summary)).names)
  }
  beginCount(context, summary)
  if (waitMs === 0) return []
  const counted = await within(waitMs, nameCounts.join(accountId, summary))
  const since = await readRecentChanges(db, accountId, { after: counted.eventId, limit: RECENT_EVENTS })
  return withRecentChanges(context, counted, since)
}

/** Only the request that begins the count is charged for it. */
function beginCount({ viewer, nameCounts, rowMeter }: Context, summary: NameSummary | undefined): void {
  if (nameCounts.begin(viewer.accountId, summary)) rowMeter.add(({ devices }) => devices)
}

/** Throws UNAVAILABLE if the count takes longer than `ms`. The count continues. */
async function within(ms: number, counting: Promise<CountedNames>): Promise<CountedNames> {
  if (ms === Infinity) return counting
  const counted = await Promise.race([counting, setTimeout(ms, undefined, { ref: false })])
  if (counted !== undefined) return counted
  throw new ApiError('UNAVAILABLE', "the server is counting this account's attribute names; retry in 10 seconds", {
    retryAfter: 10,
  })
}

/** A restricted caller cannot use the summary, because it covers all devices. */
async function listNamesInside({ db, viewer, rowMeter }: Context, inside: ResolvedFilter): Promise<AttributeName[]> {
  rowMeter.add(({ devices }) => devices)
  const names = await walk(db, COUNTING, (walking) =>
    countNamesInside(walking, viewer.accountId, { inside, limit: limits.attributeNames }),
  )
  return sorted(names.map((name) => ({ ...name, lastChanged: null })))
}

function isCurrent({ age, devices }: NameSummary, recent: RecentChanges): boolean {
  const hasChanges = recent.hasRemovals || Object.keys(recent.names).length > 0 || recent.events === RECENT_EVENTS
  if (!hasChanges) return age <= MAX_UNCHANGED_AGE_SECONDS
  return devices > EXACT_DEVICES && age <= MAX_AGE_SECONDS
}

async function withRecentChanges(
  { db, viewer }: Context,
  { names, eventId }: CountedNames,
  recent: RecentChanges,
): Promise<AttributeName[]> {
  const changes = new Map(Object.entries(recent.names))
  const used = names.filter(isUsed)
  const known = used.map((name) => {
    const changed = changes.get(name.name)
    return changed === undefined ? name : { ...name, lastChanged: new Date(changed) }
  })
  for (const { name } of used) changes.delete(name)
  const appeared = [...changes.keys()]
  if (appeared.length === 0) return sorted(known)
  const { accountId } = viewer
  const ids = await findRecentTargets(db, accountId, { after: eventId, limit: RECENT_EVENTS, names: appeared })
  const counts = await countNamesOnTargets(db, accountId, { ids, names: appeared })
  return sorted([...known, ...counts.map((count) => ({ ...count, lastChanged: new Date(recent.names[count.name]!) }))])
}

/** The summary also contains names that no target uses anymore. */
const isUsed = (name: NameCount): boolean => usesOf(name) > 0

const sorted = (names: readonly AttributeName[]): AttributeName[] =>
  mostUsed(names.filter(isUsed)).sort((one, other) => (one.name < other.name ? -1 : 1))

/** Names that are newer than the counts could otherwise make the list exceed the maximum number of names. */
const mostUsed = (names: AttributeName[]): AttributeName[] =>
  names.length <= limits.attributeNames
    ? names
    : names.sort((one, other) => usesOf(other) - usesOf(one)).slice(0, limits.attributeNames)

const usesOf = ({ devices, services }: NameCount): number => devices + services
