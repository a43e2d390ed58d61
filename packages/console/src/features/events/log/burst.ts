import type { LoggedEvent } from './logged-event.ts'

/** Maximum time between consecutive events of a burst. */
const MAX_GAP_MS = 60_000
/** Maximum time between the first event and the last event of a burst. */
const MAX_SPAN_MS = 10 * 60_000
/** Minimum number of events in a burst. The log shows smaller groups of similar events one by one. */
const MIN_EVENTS = 3

export interface EventGroup {
  /** ID of the group's oldest event, which stays the same while newer events join. */
  id: string
  events: readonly LoggedEvent[]
}

interface Collecting {
  first: number
  last: number
  /** Events with their positions in the list, oldest first. */
  members: { event: LoggedEvent; position: number }[]
}

/**
 * Groups similar events, starting with the oldest event, so that a new event can join a group of older events but never
 * divides it.
 */
export function groupEvents(events: readonly LoggedEvent[]): EventGroup[] {
  const open = new Map<string, Collecting>()
  const all: Collecting[] = []
  for (let position = events.length - 1; position >= 0; position--) {
    const event = events[position]!
    const at = Date.parse(event.timestamp)
    const key = similarityOf(event)
    const found = key === undefined ? undefined : open.get(key)
    if (found !== undefined && at - found.last <= MAX_GAP_MS && at - found.first <= MAX_SPAN_MS) {
      found.members.push({ event, position })
      found.last = Math.max(found.last, at)
      continue
    }
    const started: Collecting = { first: at, last: at, members: [{ event, position }] }
    all.push(started)
    if (key !== undefined) open.set(key, started)
  }
  return all
    .flatMap(({ members }) => (members.length < MIN_EVENTS ? members.map((member) => [member]) : [members]))
    .sort((one, other) => one.at(-1)!.position - other.at(-1)!.position)
    .map((members) => ({ id: members[0]!.event.id, events: members.map(({ event }) => event).reverse() }))
}

/** Returns the same string for similar events, or undefined for events that the log always shows one by one. */
function similarityOf({ type, state, actor, source, target, data }: LoggedEvent): string | undefined {
  if (!target.some(({ kind }) => kind === 'device')) return undefined
  // Do not compare the IDs of devices, because a burst may contain events from many devices.
  const from = source.kind === 'device' ? null : source.id
  return JSON.stringify([type, state, actor?.id, source.kind, from, data.context])
}

/** Returns the newest events that fill at most `rows` rows. */
export function eventsOfRows(events: readonly LoggedEvent[], rows: number): readonly LoggedEvent[] {
  let kept = events
  for (let excess = groupEvents(kept).length - rows; excess > 0; excess = groupEvents(kept).length - rows)
    kept = kept.slice(0, -excess)
  return kept
}

export const mayContinue = ({ events }: EventGroup, shown: readonly LoggedEvent[]): boolean =>
  events.length >= MIN_EVENTS &&
  Date.parse(events.at(-1)!.timestamp) - Date.parse(shown.at(-1)?.timestamp ?? '') <= MAX_GAP_MS
