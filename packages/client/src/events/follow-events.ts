import { LimitExceededError } from '../errors.ts'
import type { List } from '../lists/list.ts'
import type { RunQuery } from '../lists/list-of.ts'
import type { EventType } from '../schema/types.generated.ts'
import { buildDocument, plainSelection } from '../select/build-document.ts'
import { pause, retryDelay } from '../transport/retry.ts'
import type { Transport } from '../transport/transport.ts'
import type { CallOptions } from '../types.ts'
import { StreamEnd, subscribeOnce } from './subscribe.ts'

/** The filter of events and the starting point. */
export interface EventOptions extends Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {
  types?: readonly EventType[] | undefined
  /** Only events of these devices. */
  deviceId?: readonly string[] | undefined
  /** Id of the last event seen. Default: start now. */
  after?: string | undefined
  /** Called after each connection. Events from then on are received. */
  onConnect?: (() => void) | undefined
}

export interface FollowOptions {
  transport: Transport
  run: RunQuery
  /** Past events, newest first. */
  pastEvents: (select: object) => List<Record<string, unknown>>
  options: EventOptions & { select?: unknown }
}

/** The alias under which the id of each event is selected. It is not a field of Event. */
const ID_ALIAS = 'placeOfEvent'

/**
 * Yields events as they happen. Reconnects as needed and continues after the last event seen. Before the first event, that
 * is the newest event at the start.
 */
export async function* followEvents(follow: FollowOptions): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const { transport, options } = follow
  const { signal, retries = transport.retries, timeout = transport.timeout, onConnect } = options
  const select = { ...((options.select as object | undefined) ?? plainSelection('Event')), [`${ID_ALIAS}: id`]: true }
  const startId = options.after ?? (await newestId(follow))
  let lastId = options.after
  let failures = 0
  let hasConnected = false
  for (;;) {
    try {
      const resumeAfter = lastId ?? (hasConnected ? startId : undefined)
      if (hasConnected && resumeAfter === undefined) {
        // There were no events at the start, so all existing events are new.
        for (const event of await listPastEvents(follow, select)) {
          lastId = takeId(event)
          yield event
        }
      }
      const operation = subscriptionDocument(options, select, lastId ?? resumeAfter)
      const connected = (): void => {
        hasConnected = true
        failures = 0
        onConnect?.()
      }
      for await (const data of subscribeOnce({ transport, operation, timeout, signal, onConnect: connected })) {
        const event = data.events as Record<string, unknown>
        lastId = takeId(event)
        yield event
      }
    } catch (thrown) {
      if (!(thrown instanceof StreamEnd)) throw thrown
      // The server may still count a broken stream that it has not detected yet.
      const mayReconnect = thrown.mayReconnect || (hasConnected && thrown.error instanceof LimitExceededError)
      if (!mayReconnect || (!hasConnected && failures >= retries)) throw thrown.error
      const delay = retryDelay(failures++, thrown.retryAfter)
      if (delay === undefined) throw thrown.error
      await pause(delay, signal)
    }
  }
}

function takeId(event: Record<string, unknown>): string {
  const id = event[ID_ALIAS] as string
  delete event[ID_ALIAS]
  return id
}

function subscriptionDocument({ types, deviceId }: EventOptions, select: object, after: string | undefined) {
  return buildDocument('Subscription', { events: { $: { types, deviceId, after }, ...select } })
}

async function newestId({ run, options: { signal, timeout, retries } }: FollowOptions): Promise<string | undefined> {
  const newest = { events: { $: { size: 1, minDate: '1970-01-01T00:00:00Z' }, items: { id: true } } }
  const { login } = (await run({ login: newest }, { signal, timeout, retries })) as {
    login: { events: { items: { id: string }[] } }
  }
  return login.events.items[0]?.id
}

/** All past events, oldest first. */
const listPastEvents = async ({ pastEvents }: FollowOptions, select: object): Promise<Record<string, unknown>[]> =>
  (await pastEvents(select).toArray()).reverse()
