import type { EventFilter } from '../event-filter.ts'
import type { Feed, FeedBatch } from './feed.ts'
import type { FeedEvent } from './feed-event.ts'

export type AccountFilter = Pick<EventFilter, 'types' | 'deviceIds' | 'devicesOnly'>

const MAX_BUFFERED = { events: 1_000, bytes: 1024 * 1024 }

export interface LiveEvents {
  /**
   * Resolves to the buffered events as soon as there are any. Resolves to undefined if `ended` is aborted, or if the
   * buffer has overflowed and is empty.
   */
  take(): Promise<FeedEvent[] | undefined>
  /** The last event ID up to which all matching events have been buffered. */
  readonly end: bigint
  close(): void
}

export interface LiveOptions {
  feed: Feed
  accountId: string
  filter: AccountFilter
  after: bigint
  ended: AbortSignal
}

export function collectLive({ feed, accountId, filter, after, ended }: LiveOptions): LiveEvents {
  const matches = matcher(filter)
  let buffered: FeedEvent[] = []
  let bytes = 0
  let end = after
  let isFull = false
  let wake = (): void => {}

  const add = (batch: FeedBatch): void => {
    for (const event of eventsOf(batch, accountId)) {
      const number = BigInt(event.id)
      if (number <= after || !matches(event)) continue
      if (buffered.length === MAX_BUFFERED.events || bytes > MAX_BUFFERED.bytes) {
        stop()
        return
      }
      buffered.push(event)
      bytes += event.bytes
      end = number
    }
    if (batch.upTo > end) end = batch.upTo
    if (buffered.length > 0) wake()
  }
  const unsubscribe = feed.subscribe(add)
  const stop = (): void => {
    isFull = true
    unsubscribe()
    wake()
  }
  const onEnded = (): void => wake()
  ended.addEventListener('abort', onEnded)

  return {
    async take() {
      if (buffered.length === 0 && !isFull && !ended.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (ended.aborted || buffered.length === 0) return undefined
      const events = buffered
      buffered = []
      bytes = 0
      return events
    },
    get end() {
      return end
    },
    close() {
      unsubscribe()
      ended.removeEventListener('abort', onEnded)
    },
  }
}

function matcher({ types, deviceIds, devicesOnly }: AccountFilter): (event: FeedEvent) => boolean {
  const wantedTypes = types && new Set(types)
  const wantedDevices = deviceIds && new Set(deviceIds)
  return ({ type, deviceId }) =>
    (devicesOnly !== true || deviceId !== null) &&
    (wantedTypes === undefined || wantedTypes.has(type)) &&
    (wantedDevices === undefined || (deviceId !== null && wantedDevices.has(deviceId)))
}

const grouped = new WeakMap<FeedBatch, Map<string, FeedEvent[]>>()

/** Groups each batch by account only once, and all listeners share the result. */
function eventsOf(batch: FeedBatch, accountId: string): readonly FeedEvent[] {
  let groups = grouped.get(batch)
  if (groups === undefined) {
    groups = Map.groupBy(batch.events, (event) => event.accountId)
    grouped.set(batch, groups)
  }
  return groups.get(accountId) ?? []
}
