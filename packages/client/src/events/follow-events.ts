import { LimitExceededError } from '../errors.ts'
import type { List } from '../lists/list.ts'
import type { RunQuery } from '../lists/list-of.ts'
import type { EventType } from '../schema/types.generated.ts'
import { buildDocument, plainSelection } from '../select/build-document.ts'
import { pause, retryDelay } from '../transport/retry.ts'
import type { Transport } from '../transport/transport.ts'
import type { CallOptions } from '../types.ts'
import { StreamEnd, subscribeOnce } from './subscribe.ts'

/** Which events, and from where on. */
export interface EventOptions extends Pick<CallOptions, 'signal' | 'timeout' | 'retries'> {
  types?: readonly EventType[] | undefined
  /** Those of these devices. */
  deviceId?: readonly string[] | undefined
  /** Id of the last event seen; left away: from now on. */
  after?: string | undefined
  /** Called each time a connection stands: what happens from then on is told. */
  onConnect?: (() => void) | undefined
}

export interface Following {
  transport: Transport
  run: RunQuery
  /** Events that are there already, newest first. */
  pastEvents: (select: object) => List<Record<string, unknown>>
  options: EventOptions & { select?: unknown }
}

/** The id of each event, whatever is selected; what it is answered under is no field of an event. */
const PLACE = 'placeOfEvent'

/**
 * Events as they happen, over as many connections as it takes, each going on after the last event seen. Until the first one
 * comes, that is the newest there was at the start.
 */
export async function* followEvents(following: Following): AsyncGenerator<Record<string, unknown>, void, undefined> {
  const { transport, options } = following
  const { signal, retries = transport.retries, timeout = transport.timeout, onConnect } = options
  const select = { ...((options.select as object | undefined) ?? plainSelection('Event')), [`${PLACE}: id`]: true }
  const beginning = options.after ?? (await newestId(following))
  let place = options.after
  let failures = 0
  let hasStood = false
  for (;;) {
    try {
      const resumed = place ?? (hasStood ? beginning : undefined)
      if (hasStood && resumed === undefined) {
        // There was no event to go on after: whatever there is by now has happened since.
        for (const event of await eventsSoFar(following, select)) {
          place = takePlace(event)
          yield event
        }
      }
      const operation = subscriptionDocument(options, select, place ?? resumed)
      const connected = (): void => {
        hasStood = true
        failures = 0
        onConnect?.()
      }
      for await (const data of subscribeOnce({ transport, operation, timeout, signal, onConnect: connected })) {
        const event = data.events as Record<string, unknown>
        place = takePlace(event)
        yield event
      }
    } catch (thrown) {
      if (!(thrown instanceof StreamEnd)) throw thrown
      // The server may still count a stream that it has not noticed to be broken.
      const mayReturn = thrown.mayReturn || (hasStood && thrown.error instanceof LimitExceededError)
      if (!mayReturn || (!hasStood && failures >= retries)) throw thrown.error
      const delay = retryDelay(failures++, thrown.retryAfter)
      if (delay === undefined) throw thrown.error
      await pause(delay, signal)
    }
  }
}

function takePlace(event: Record<string, unknown>): string {
  const place = event[PLACE] as string
  delete event[PLACE]
  return place
}

function subscriptionDocument({ types, deviceId }: EventOptions, select: object, after: string | undefined) {
  return buildDocument('Subscription', { events: { $: { types, deviceId, after }, ...select } })
}

async function newestId({ run, options: { signal, timeout, retries } }: Following): Promise<string | undefined> {
  const newest = { events: { $: { size: 1, minDate: '1970-01-01T00:00:00Z' }, items: { id: true } } }
  const { login } = (await run({ login: newest }, { signal, timeout, retries })) as {
    login: { events: { items: { id: string }[] } }
  }
  return login.events.items[0]?.id
}

/** Oldest first. */
const eventsSoFar = async ({ pastEvents }: Following, select: object): Promise<Record<string, unknown>[]> =>
  (await pastEvents(select).toArray()).reverse()
