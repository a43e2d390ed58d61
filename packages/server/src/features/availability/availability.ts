import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { parseTime } from '../../db/type-parsers.ts'
import { limitExceeded } from '../../errors.ts'
import { perRequest } from '../../graphql/per-request.ts'
import type { Availability, AvailabilitySegment, DeviceAvailabilityArgs } from '../../resolvers.generated.ts'
import type { Device, State } from '../devices/device.ts'
import { type DeviceStates, type StateChange, selectStates } from './availability.queries.ts'
import { readSpan, type Span } from './span.ts'

export const MAX_SEGMENTS = 1_000
/** The maximum number of state changes of one device in a time span. */
const MAX_CHANGES = 50_000

/** The number of changes per device that an operation is charged for in advance. */
export const TYPICAL_CHANGES = 500

const loadersOf = perRequest((_context: Context) => new Map<string, DataLoader<string, DeviceStates>>())

/** Within a batch, one statement reads the changes of all devices for which the arguments are equal. */
export async function findAvailability(
  context: Context,
  device: Device,
  args: DeviceAvailabilityArgs,
): Promise<Availability> {
  const now = context.clock()
  const span = withoutFuture(readSpan(args, now), now)
  const loaders = loadersOf(context)
  const key = JSON.stringify(args)
  let loader = loaders.get(key)
  if (loader === undefined) {
    loader = new DataLoader((ids) => readStates(context, ids, span), { cache: false })
    loaders.set(key, loader)
  }
  return availabilityOf(device, await loader.load(device.id), span)
}

/** If the whole span is in the future, returns an empty span at its start. */
const withoutFuture = ({ from, until }: Span, now: Date): Span => ({
  from,
  until: new Date(Math.max(from.getTime(), Math.min(until.getTime(), now.getTime()))),
})

async function readStates(
  { db, viewer, rowMeter }: Context,
  deviceIds: readonly string[],
  span: Span,
): Promise<DeviceStates[]> {
  const rows = await selectStates(db, viewer.accountId, { deviceIds, span, limit: MAX_CHANGES + 1 })
  rowMeter.add(() => rows.reduce((sum, { changes }) => sum + changes.length, 0))
  const found = new Map(rows.map((row) => [row.deviceId, row]))
  return deviceIds.map((id) => found.get(id)!)
}

interface Segment {
  from: number
  until: number
  state: State
}

function availabilityOf(device: Device, states: DeviceStates, span: Span): Availability {
  const { changes } = states
  if (changes.length > MAX_CHANGES)
    throw limitExceeded(
      `the device changed its state more than ${MAX_CHANGES.toLocaleString('en')} times in the time range: ` +
        'request a shorter time range',
    )
  const until = span.until.getTime()
  const from = Math.min(startOf(device, states, span), until)
  const segments = segmentsOf({ from, until }, changes, stateBefore(device, states))
  const offline = segments.filter((segment) => segment.state === 'inactive')
  const online = sum(segments.filter((segment) => segment.state === 'active'))
  return {
    from: new Date(from),
    until: span.until,
    share: until === from ? 0 : online / (until - from),
    onlineSeconds: Math.round(online / 1000),
    outages: segments.filter((segment, index) => index > 0 && segment.state === 'inactive').length,
    longestOutage: Math.round(Math.max(0, ...offline.map(lengthOf)) / 1000),
    segments: joinShortest(segments),
  }
}

/**
 * Returns the earliest time in the span, in milliseconds since 1970, from which all states until the end of the span
 * are known.
 */
function startOf({ created }: Device, { firstEvent, before, changes, after }: DeviceStates, span: Span): number {
  const lastMove = changes.findLast(({ isMove }) => isMove)
  const previous = lastMove ?? before
  // If the first known change moved the device to this account, the device was in another account until then.
  const wasInAccount =
    previous !== null ? isInAccount(previous) : after === null || !(after.isMove && isInAccount(after))
  if (!wasInAccount) return span.until.getTime()
  return Math.max(span.from.getTime(), parseTime(created).getTime(), firstEvent?.getTime() ?? 0, lastMove?.at ?? 0)
}

const isInAccount = ({ state }: StateChange): boolean => state !== null

/**
 * Returns the state at the start of the span. If no earlier change is stored, returns the opposite of the state after
 * the first change. If there is no such change, or the device left the account with it, returns the current state.
 */
function stateBefore({ state }: Device, { before, changes, after }: DeviceStates): State {
  const first = changes[0] ?? after
  if (before?.state != null) return before.state
  if (first?.state == null) return state
  return first.state === 'active' ? 'inactive' : 'active'
}

function segmentsOf(
  { from, until }: { from: number; until: number },
  changes: readonly StateChange[],
  before: State,
): Segment[] {
  const segments: Segment[] = []
  let current: Segment = { from, until, state: before }
  for (const { at, state } of changes) {
    if (state === null || state === current.state) continue
    if (at > current.from) segments.push({ ...current, until: at })
    current = { from: Math.max(at, from), until, state }
  }
  if (current.until > current.from) segments.push(current)
  return segments
}

const lengthOf = ({ from, until }: Segment): number => until - from
const sum = (segments: readonly Segment[]): number => segments.reduce((total, segment) => total + lengthOf(segment), 0)

/** If there are more than `MAX_SEGMENTS`, keeps the longest segments and joins adjacent segments among the others. */
function joinShortest(segments: readonly Segment[]): AvailabilitySegment[] {
  const isJoined = segments.length > MAX_SEGMENTS
  // A joined segment can come before and after each kept segment, so fewer than half of `MAX_SEGMENTS` are kept.
  const longest = segments.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_SEGMENTS / 2 - 1)
  const kept = new Set(isJoined ? longest : segments)
  const joined: { from: number; until: number; state: string; isKept: boolean }[] = []
  for (const segment of segments) {
    const last = joined.at(-1)
    const isKept = kept.has(segment)
    if (last === undefined || isKept || last.isKept) joined.push({ ...segment, isKept })
    else Object.assign(last, { until: segment.until, state: 'mixed' })
  }
  return joined.map(({ from, until, state }) => ({ from: new Date(from), until: new Date(until), state }))
}
