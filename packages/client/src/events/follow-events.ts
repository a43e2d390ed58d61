import { LimitExceededError } from '../errors.ts'
import type { List } from '../lists/list.ts'
import type { RunQuery } from '../lists/list-of.ts'
import { pause, retryDelay } from '../retry-delay.ts'
import type { EventType } from '../schema/types.generated.ts'
import { buildDocument, plainSelection } from '../select/build-document.ts'
import type { Transport } from '../transport/transport.ts'
import type { CallOptions } from '../types.ts'
import { StreamEnd, subscribeOnce } from './subscribe-once.ts'

/** Options of an event subscription: the filter, the starting point, `onConnect`, and call options. */
export interface EventOptions extends Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {
  types?: readonly EventType[] | undefined
  /** IDs of the devices whose events to receive. Default: all events of the account. */
  deviceId?: readonly string[] | undefined
  /** A device filter. Selects events of devices that match immediately before or after the event. */
  where?: string | undefined
  /** ID of a saved view of devices. Its filter applies in addition to `where`. */
  view?: string | undefined
  /** The context in which the filter reads attributes. Default: the view's context or, without one, base values. */
  context?: string | undefined
  /** ID of the event after which to start. Default: start with new events. */
  after?: string | undefined
  /**
   * Called each time the server accepts the subscription. The subscription yields all events that occur after the first
   * call, with one exception: with `where` or `view`, the first event can be lost. This happens only if the caller
   * could read no events at the start, and the connection breaks before any event arrives.
   */
  onConnect?: (() => void) | undefined
}

export interface FollowOptions {
  transport: Transport
  run: RunQuery
  /** Lists past events, newest first. */
  pastEvents: (select: object) => List<Record<string, unknown>>
  options: EventOptions & { select?: unknown }
}

/** The alias of the event's ID. No field of Event has this name, so the alias cannot conflict with a selected field. */
const ID_ALIAS = 'resumeId'

/**
 * Yields events. Reconnects as needed, and continues after the last event that arrived. If no event has arrived,
 * continues after `after` or, by default, after the event that was newest at the start, if there was one.
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
        // No events existed at the start, so all existing events are new. With a device filter, yield none of them
        // here, because only the subscription can apply the filter. The subscription cannot start before the oldest
        // event, so that event is lost.
        for (const event of await listPastEvents(follow, select)) {
          lastId = takeId(event)
          if (isFiltered(options)) break
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
      // Reconnect even after LIMIT_EXCEEDED. Until the server detects that a connection is lost, it counts the broken
      // stream toward the limit on streams.
      const mayReconnect = thrown.mayReconnect || (hasConnected && thrown.error instanceof LimitExceededError)
      if (!mayReconnect || (!hasConnected && failures >= retries)) throw thrown.error
      const delay = retryDelay(failures++, thrown.retryAfter)
      if (delay === undefined) throw thrown.error
      await pause(delay, signal)
    }
  }
}

const isFiltered = ({ where, view }: EventOptions): boolean => where !== undefined || view !== undefined

function takeId(event: Record<string, unknown>): string {
  const id = event[ID_ALIAS] as string
  delete event[ID_ALIAS]
  return id
}

function subscriptionDocument(
  { types, deviceId, where, view, context }: EventOptions,
  select: object,
  after: string | undefined,
) {
  const given = { types, deviceId, after, where, view, context }
  return buildDocument('Subscription', { events: { $: given, ...select } })
}

async function newestId({ run, options: { signal, timeout, retries } }: FollowOptions): Promise<string | undefined> {
  const newest = { events: { $: { size: 1, minDate: '1970-01-01T00:00:00Z' }, items: { id: true } } }
  const { login } = (await run({ login: newest }, { signal, timeout, retries })) as {
    login: { events: { items: { id: string }[] } }
  }
  return login.events.items[0]?.id
}

const listPastEvents = async ({ pastEvents }: FollowOptions, select: object): Promise<Record<string, unknown>[]> =>
  (await pastEvents(select).toArray()).reverse()
