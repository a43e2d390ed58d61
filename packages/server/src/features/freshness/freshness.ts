import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { walk } from '../../db/fair/user-database.ts'
import { ApiError, badInput, notFound } from '../../errors.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { limits } from '../../limits.ts'
import { insideOf } from '../../restriction.ts'
import { assertWritable, isReadableName } from '../attributes/attribute-access.ts'
import {
  assertAllowed,
  assertVisibleNames,
  joinAttributeName,
  parseAttributeName,
} from '../attributes/attribute-name.ts'
import { recordEvents } from '../events/record.ts'
import { outside } from '../restrictions/assert-may-change.ts'
import { lockAccount } from '../users/users.ts'
import { countStale, selectStale } from './freshness.queries.ts'
import { deleteInterval, upsertInterval } from './expected-intervals.queries.ts'
import { type Freshness, intervalsOf, listIntervals } from './expected-intervals.ts'

const MIN_SECONDS = 60
const MAX_SECONDS = 31_536_000

export async function listFreshness(context: Context): Promise<Freshness[]> {
  return [...(await intervalsOf(context))]
    .map(([name, seconds]) => ({ name, seconds }))
    .filter(({ name }) => isReadableName(context.viewer, name))
}

export const countIntervals = async (context: Context): Promise<number> => (await intervalsOf(context)).size

interface IntervalChange {
  name: string
  /** Undefined is rejected, because a client that omits the interval by accident must not remove it. */
  seconds?: number | null | undefined
}

/** Returns null after the interval is removed. */
export async function setExpectedInterval(context: Context, change: IntervalChange): Promise<Freshness | null> {
  const { viewer } = context
  const { accountId } = viewer
  if (insideOf(viewer) !== undefined)
    throw outside('a caller who is restricted to some devices cannot change expected intervals')
  const parsed = parseAttributeName(change.name, 'name')
  const name = joinAttributeName(parsed)
  const seconds = readSeconds(change.seconds)
  assertAllowed(parsed, '', 'device', 'name')
  assertVisibleNames([{ name: parsed, value: '' }], { path: 'name' })
  assertWritable(viewer, { name: parsed })
  await context.db.transaction().execute(async (transaction) => {
    if (!(await lockAccount(transaction, accountId))) throw notFound('account', accountId)
    const intervals = await listIntervals(transaction, accountId)
    const old = intervals.get(name) ?? null
    if (old === seconds) return
    if (seconds === null) await deleteInterval(transaction, accountId, name)
    else {
      if (old === null) assertBelowLimit(intervals.size)
      await upsertInterval(transaction, accountId, { name, seconds })
    }
    const targets = [{ id: accountId, name: viewer.email, kind: 'user' as const }]
    const data = { name, seconds: { old, new: seconds } }
    await recordEvents(transaction, context, [{ type: 'FRESHNESS_UPDATE', targets, data }])
  })
  return seconds === null ? null : { name, seconds }
}

function readSeconds(seconds: number | null | undefined): number | null {
  if (seconds === undefined)
    throw badInput('seconds is required: pass the interval in seconds, such as 3600, or null to remove it')
  if (seconds !== null && (seconds < MIN_SECONDS || seconds > MAX_SECONDS)) {
    throw badInput(`seconds must be from ${MIN_SECONDS} to ${MAX_SECONDS}, not ${seconds}`)
  }
  return seconds
}

function assertBelowLimit(found: number): void {
  if (found < limits.expectedIntervals) return
  throw new ApiError(
    'LIMIT_EXCEEDED',
    `an account can have at most ${limits.expectedIntervals} attribute names with an expected interval, found ${found}: remove the interval of another attribute name first`,
    { limit: limits.expectedIntervals, found },
  )
}

/** One statement counts the devices for a batch of names. */
export function countStaleDevices(context: Context, { name }: Freshness): Promise<number> {
  return staleCounts(context).load(name)
}

const staleCounts = perRequest(
  ({ db, viewer, rowMeter, clock }: Context) =>
    new DataLoader(async (names: readonly string[]) => {
      rowMeter.add(({ devices }) => devices)
      const parsed = names.map((name) => parseAttributeName(name, 'name'))
      const query = { accountId: viewer.accountId, names: parsed, inside: insideOf(viewer), now: clock().getTime() }
      return walk(db, ['stale: the server checks the values of every device'], (walking) => countStale(walking, query))
    }),
)

/** Checks only base values that the viewer can read. */
export function isDeviceStale(context: Context, id: string): Promise<boolean> {
  return staleDevices(context).load(id)
}

const staleDevices = perRequest(
  (context: Context) =>
    new DataLoader(async (ids: readonly string[]) => {
      const { db, viewer, clock } = context
      const names = (await listFreshness(context)).map(({ name }) => parseAttributeName(name, 'name'))
      const stale = await selectStale(db, { accountId: viewer.accountId, names, now: clock().getTime() }, ids)
      return ids.map((id) => stale.has(id))
    }),
)
