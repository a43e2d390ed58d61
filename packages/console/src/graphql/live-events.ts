import { stringifyDocument } from '@urql/core'
import { createClient } from 'graphql-sse'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { api } from '../app/paths.ts'
import { createSignal } from '../hooks/signal.ts'
import { LiveEventsDocument, type LiveEventsSubscription } from './live-events.generated.ts'
import { queriesInFlightEnd } from './queries-in-flight.ts'
import { apiHeaders } from './session-headers.ts'
import { signedOut, signInRequired } from './signed-out.ts'

export type LiveEvent = LiveEventsSubscription['events']

interface LiveListener {
  /** Receives events in order, in batches. */
  onEvents(events: readonly LiveEvent[]): void
  /** Runs after a gap in the events, so that the listener can refetch the displayed data. */
  onGap?(): void
}

/**
 * `reconnecting` means that the tab has no connection and is trying to connect again. `off` means that the shell
 * has not started the subscription, or has stopped it.
 */
type LiveStatus = 'off' | 'connecting' | 'live' | 'reconnecting'

interface LiveEvents {
  readonly status: LiveStatus
  listen(listener: LiveListener): () => void
  watchStatus(changed: () => void): () => void
  start(): void
  stop(): void
}

/** Interval between batches, which limits how often React renders when there are many events. */
const BATCH_INTERVAL_MS = 200
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 15_000

/**
 * Creates the subscription to events. After an interruption, the subscription resumes after the last received event,
 * even if the server restarted or the computer slept. If it cannot resume there, it reports a gap.
 */
function createLiveEvents(): LiveEvents {
  const client = createClient({
    url: api.stream,
    credentials: 'same-origin',
    headers: apiHeaders,
    retryAttempts: 0,
  })
  const query = stringifyDocument(LiveEventsDocument)
  const listeners = new Set<LiveListener>()
  const statusChanges = createSignal()
  let status: LiveStatus = 'off'
  let after: string | undefined
  let batch: LiveEvent[] = []
  let batchTimer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let unsubscribe: (() => void) | undefined

  const setStatus = (next: LiveStatus): void => {
    if (status === next) return
    status = next
    statusChanges.announce()
  }

  const notifyGap = (): void => {
    for (const listener of listeners) listener.onGap?.()
  }

  /**
   * Reports a gap after each connection until the subscription has received an event. Without an event to resume after,
   * the subscription may miss events. Waits for the queries in flight first, because the server may have processed them
   * before the connection.
   */
  const connected = (): void => {
    failures = 0
    setStatus('live')
    if (after === undefined) void queriesInFlightEnd().then(notifyGap)
  }

  const deliverBatch = (): void => {
    batchTimer = undefined
    const events = batch
    batch = []
    for (const listener of listeners) listener.onEvents(events)
  }

  const receive = (event: LiveEvent): void => {
    after = event.id
    batch.push(event)
    batchTimer ??= setTimeout(deliverBatch, BATCH_INTERVAL_MS)
  }

  const retry = (): void => {
    unsubscribe = undefined
    if (status === 'off') return
    setStatus('reconnecting')
    const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++)
    retryTimer = setTimeout(connect, delay)
  }

  const handleRejection = ({ code, reason }: Rejection): void => {
    // Let the shell check whether the user is signed out or has a new session.
    if (code === 'UNAUTHENTICATED') signedOut.announce()
    if (reason === 'sign-in-required') signInRequired.announce()
    // Continue with new events only, because the event to resume after may have been deleted in the meantime.
    if ((code === 'BAD_USER_INPUT' || code === 'NOT_FOUND') && after !== undefined) {
      after = undefined
      notifyGap()
    }
  }

  const connect = (): void => {
    retryTimer = undefined
    if (status === 'off') return
    // A stopped stream still calls these functions, but asynchronously. By then, another stream may have started.
    const isCurrent = (): boolean => unsubscribe === abort
    const abort = client.subscribe<LiveEventsSubscription>(
      { query, variables: { after }, operationName: 'LiveEvents' },
      {
        next({ data, errors }) {
          if (!isCurrent()) return
          if (errors !== undefined) handleRejection(errors[0]?.extensions ?? {})
          else if (data?.events !== undefined) receive(data.events)
        },
        error(error) {
          if (!isCurrent()) return
          if (isUnauthorized(error)) handleRejection({ code: 'UNAUTHENTICATED' })
          retry()
        },
        complete: () => isCurrent() && retry(),
      },
      { connected: () => isCurrent() && connected() },
    )
    unsubscribe = abort
  }

  const stop = (): void => {
    setStatus('off')
    clearTimeout(retryTimer)
    clearTimeout(batchTimer)
    batchTimer = undefined
    batch = []
    after = undefined
    unsubscribe?.()
    unsubscribe = undefined
  }

  const reconnectNow = (): void => {
    if (retryTimer === undefined) return
    clearTimeout(retryTimer)
    connect()
  }

  window.addEventListener('online', reconnectNow)

  return {
    get status() {
      return status
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watchStatus: statusChanges.listen,
    start() {
      if (status !== 'off') return
      failures = 0
      setStatus('connecting')
      connect()
    },
    stop,
  }
}

/** Members of `extensions` in a rejected subscription's error. */
interface Rejection {
  code?: unknown
  reason?: unknown
}

const isUnauthorized = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'response' in error &&
  (error.response as { status?: number } | undefined)?.status === 401

/** The tab's only subscription to events. The shell starts it for a signed-in user who can read events. */
export const liveEvents = createLiveEvents()

/** Listens to live events while the component is mounted. Calls the functions of the latest render. */
export function useLiveEvents({ onEvents, onGap }: LiveListener): void {
  const events = useEffectEvent(onEvents)
  const gap = useEffectEvent(() => onGap?.())
  useEffect(() => liveEvents.listen({ onEvents: (list) => events(list), onGap: () => gap() }), [])
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveEvents.watchStatus, () => liveEvents.status)

/** Returns the IDs of an event's devices. For an event of a service, returns the ID of the service's device. */
export const devicesOf = (event: LiveEvent): string[] => idsOf(event, 'device')

export const servicesOf = (event: LiveEvent): string[] => idsOf(event, 'service')

const idsOf = (event: LiveEvent, kind: string): string[] =>
  event.target.filter((target) => target.kind === kind).map(({ id }) => id)
