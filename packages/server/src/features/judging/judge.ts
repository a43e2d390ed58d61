import type { Database } from '../../db/database.ts'
import type { ValueTime, ValueTimes } from '../attributes/target.ts'
import type { Event } from '../events/event.ts'
import { type Moment, selectMatches } from './match-snapshots.queries.ts'
import { type Needs, needsOf, type Selection } from './needs.ts'
import { type FoundDevice, selectPastDevices } from './past-device.queries.ts'
import type { DeviceRows, PastEvent, ServiceLiveRow, StoredAttributes } from './past-device.ts'
import { rollBack } from './roll-back.ts'

export type JudgedEvent = Pick<Event, 'id' | 'type' | 'timestamp' | 'deviceId'>

/** The maximum number of devices per read: `few` if the filter reads all attributes, and `many` otherwise. */
const DEVICES = { few: 50, many: 500 }
/** The approximate maximum size of the moments in one statement, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Returns the IDs of the events whose device matched immediately before or after the event. Each event must be at or
 * before the feed's position.
 */
export async function judgeEvents(
  db: Database,
  accountId: string,
  { selection, events }: { selection: Selection; events: readonly JudgedEvent[] },
): Promise<Set<string>> {
  const ofDevices = events.filter((event): event is OfDevice => event.deviceId !== null)
  if (selection.filter === undefined) return new Set(ofDevices.map(({ id }) => id))
  const needs = needsOf(selection)
  const passing = new Set<string>()
  const byDevice = [...Map.groupBy(ofDevices, ({ deviceId }) => deviceId)]
  const size = needs.names === undefined ? DEVICES.few : DEVICES.many
  for (let from = 0; from < byDevice.length; from += size) {
    const chunk = new Map(byDevice.slice(from, from + size))
    const found = await selectPastDevices(db, accountId, { devices: [...chunk].map(rangeOf), needs })
    const moments = collectMoments(needs)
    for (const device of found) addMoments(moments, device, chunk.get(device.id)!)
    for (const batch of batchesOf(moments.all)) {
      const matches = await selectMatches(db, accountId, { selection, moments: batch })
      for (const index of matches) for (const id of batch[index]!.events) passing.add(id)
    }
  }
  return passing
}

type OfDevice = JudgedEvent & { deviceId: string }

function rangeOf([id, events]: [id: string, events: readonly OfDevice[]]) {
  const ids = events.map((event) => BigInt(event.id))
  const first = ids.reduce((least, each) => (each < least ? each : least))
  const last = ids.reduce((greatest, each) => (each > greatest ? each : greatest))
  return { id, first: String(first), last: String(last) }
}

type Side = 'before' | 'after'

/** A moment of a device, with the IDs of the events that match if the device matched at that moment. */
interface SharedMoment extends Moment {
  events: string[]
}

interface Moments {
  needs: Needs
  all: SharedMoment[]
  add(event: JudgedEvent, rows: DeviceRows | undefined, side: Side): void
}

/**
 * Collects the moments to evaluate. Moments with equal rows (see `readRows`) are evaluated once. If the filter depends
 * on the time, these moments must also have the same time.
 */
function collectMoments(needs: Needs): Moments {
  const byContent = new Map<string, SharedMoment>()
  const all: SharedMoment[] = []
  return {
    needs,
    all,
    add(event, rows, side) {
      if (rows === undefined) return
      const content = JSON.stringify(readRows(rows, needs, { at: event.timestamp, side }))
      const key = needs.clock ? `${event.timestamp.getTime()} ${content}` : content
      const known = byContent.get(key)
      if (known !== undefined) {
        known.events.push(event.id)
        return
      }
      const moment = { now: event.timestamp, rows: content, events: [event.id] }
      byContent.set(key, moment)
      all.push(moment)
    },
  }
}

/** Undoes changes, newest first. Adds the device's rows from before and after each judged event. */
function addMoments(moments: Moments, found: FoundDevice, judged: readonly OfDevice[]): void {
  let rows = currentRows(found)
  const changes = [...(found.inside ?? []), ...(found.later ?? [])]
  let index = changes.length
  const rollBackTo = (isUndone: (change: PastEvent) => boolean): void => {
    while (index > 0 && isUndone(changes[index - 1]!)) rows = rollBack(rows, changes[--index]!, found.id)
  }
  const newestFirst = judged.toSorted((one, other) => (BigInt(one.id) > BigInt(other.id) ? -1 : 1))
  for (const event of newestFirst) {
    const number = BigInt(event.id)
    rollBackTo(({ id }) => BigInt(id) > number)
    moments.add(event, rows, 'after')
    rollBackTo(({ id }) => BigInt(id) >= number)
    moments.add(event, rows, 'before')
  }
}

function currentRows({ device, live, overrides, services, serviceLives }: FoundDevice): DeviceRows | undefined {
  if (device === null || live === null) return undefined
  return { device, live, overrides: overrides ?? [], services: services ?? [], serviceLives: serviceLives ?? [] }
}

function readRows(rows: DeviceRows, needs: Needs, { at, side }: { at: Date; side: Side }): DeviceRows {
  const { device, live, overrides, services, serviceLives } = rows
  const { state, state_since, last_reported, attribute_times, ...reserved } = live
  const timesOf = (times: ValueTimes | undefined) =>
    needs.times ? { attribute_times: timesNotAfter(times ?? {}, needs.names, at) } : {}
  const pick = <Row extends { attributes: StoredAttributes; attribute_times?: ValueTimes }>(row: Row): Row => ({
    ...row,
    attributes: needs.names === undefined ? row.attributes : pickNames(row.attributes, needs.names),
    ...timesOf(row.attribute_times),
  })
  const reported = (time: string | null): string | null => (needs.lastReported ? notAfter(time, at) : null)
  return {
    device: pick(device),
    live: {
      state,
      state_since: needs.stateSince ? state_since : null,
      last_reported: reported(last_reported),
      ...timesOf(attribute_times),
      ...(needs.reserved && reserved),
    },
    overrides: needs.overrides ? overrides.map(pick) : [],
    services: needs.services ? services.map(pick) : [],
    serviceLives: needs.services
      ? serviceLives
          .filter((row) => hasReported(row, { at, side }))
          .map((row) => ({ ...row, state_since: null, last_reported: reported(row.last_reported) }))
      : [],
  }
}

/**
 * Limits the time of the last report to the event's time. A report without a state change creates no event. If a device
 * has reported since the event, the time of its last report before the event is therefore unknown.
 */
const notAfter = (time: string | null, at: Date): string | null =>
  time !== null && Date.parse(time) > at.getTime() ? at.toISOString() : time

/**
 * Limits the times of the last writes to the event's time. A write of an unchanged value creates no event. If a client
 * has written such a value since the event, the time of the last write before the event is therefore unknown.
 */
function timesNotAfter(times: ValueTimes, names: Needs['names'], at: Date): ValueTimes {
  const read = Object.entries(times).filter(([name]) => names?.includes(name.split('.', 1)[0]!) ?? true)
  const clamp = (time: ValueTime): ValueTime =>
    Array.isArray(time) ? [time[0], Math.min(time[1], at.getTime())] : time
  return Object.fromEntries(read.map(([name, time]) => [name, clamp(time)]))
}

/**
 * Checks whether the service had reported a state by the given time. If it is unknown when the state began, returns
 * true. Until its first report, a service has its device's state, and a first report of the same state creates no
 * event. Times have a precision of one millisecond. On the side `before`, a report in the same millisecond as the event
 * does not count.
 */
function hasReported({ state_since }: ServiceLiveRow, { at, side }: { at: Date; side: Side }): boolean {
  if (state_since === null) return true
  const since = Date.parse(state_since)
  return side === 'after' ? since <= at.getTime() : since < at.getTime()
}

const pickNames = (attributes: StoredAttributes, names: readonly string[]): StoredAttributes =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(attributes, name)).map((name) => [name, attributes[name]!]))

function* batchesOf(moments: readonly SharedMoment[]): Generator<SharedMoment[]> {
  let batch: SharedMoment[] = []
  let bytes = 0
  for (const moment of moments) {
    if (batch.length > 0 && bytes + moment.rows.length > MAX_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(moment)
    bytes += moment.rows.length
  }
  if (batch.length > 0) yield batch
}
