import { createClient } from 'graphql-sse'
import { stringifyDocument } from 'urql'
import { api } from '../app/paths.ts'
import { LiveEventsDocument, type LiveEventsSubscription } from './live-events.generated.ts'
import { sessionHeaders } from './session-headers.ts'

export type LiveEvent = LiveEventsSubscription['events']

export interface LiveListener {
  /** Events in the order they happened; several at once when many happen. */
  onEvents(events: readonly LiveEvent[]): void
  /** Some were missed for good: what is shown must be asked for anew. */
  onGap?(): void
}

/** `broken`: it will be tried again. `off`: the session has ended. */
export type LiveStatus = 'off' | 'connecting' | 'live' | 'broken'

export interface LiveEvents {
  readonly status: LiveStatus
  listen(listener: LiveListener): () => void
  watchStatus(changed: () => void): () => void
  start(): void
  stop(): void
}

/** Events are handed on at most this often, so that a hundred a second are a few renderings. */
const HAND_ON_EVERY_MS = 200
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000

/**
 * The tab's one subscription to everything that happens in the account. It resumes after the last event seen when the
 * connection broke, so that nothing is missed while the server restarts or the computer sleeps.
 */
export function createLiveEvents(onSignedOut: () => void): LiveEvents {
  const client = createClient({
    url: api.stream,
    credentials: 'same-origin',
    headers: sessionHeaders,
    retryAttempts: 0,
    on: { connected: () => connected() },
  })
  const query = stringifyDocument(LiveEventsDocument)
  const listeners = new Set<LiveListener>()
  const watchers = new Set<() => void>()
  let status: LiveStatus = 'off'
  let after: string | undefined
  let waiting: LiveEvent[] = []
  let handOnTimer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let unsubscribe: (() => void) | undefined

  const setStatus = (next: LiveStatus): void => {
    if (status === next) return
    status = next
    for (const changed of watchers) changed()
  }

  const tellGap = (): void => {
    for (const listener of listeners) listener.onGap?.()
  }

  /**
   * Without an event seen there is no place to resume at: what happened while the connection was away, or between the page's first
   * answers and the first connection, is unknown.
   */
  const connected = (): void => {
    failures = 0
    setStatus('live')
    if (after === undefined) tellGap()
  }

  const handOn = (): void => {
    handOnTimer = undefined
    const events = waiting
    waiting = []
    for (const listener of listeners) listener.onEvents(events)
  }

  const take = (event: LiveEvent): void => {
    after = event.id
    waiting.push(event)
    handOnTimer ??= setTimeout(handOn, HAND_ON_EVERY_MS)
  }

  const retry = (): void => {
    unsubscribe = undefined
    if (status === 'off') return
    setStatus('broken')
    const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++)
    retryTimer = setTimeout(connect, delay)
  }

  const refused = (code: unknown): void => {
    // The shell finds out whether the person is signed out, or has a new session: after a change of password, say.
    if (code === 'UNAUTHENTICATED') onSignedOut()
    // The place to resume at may be too old to be known any more; begin from now on.
    if ((code === 'BAD_USER_INPUT' || code === 'NOT_FOUND') && after !== undefined) {
      after = undefined
      tellGap()
    }
  }

  const connect = (): void => {
    retryTimer = undefined
    if (status === 'off') return
    unsubscribe = client.subscribe<LiveEventsSubscription>(
      { query, variables: { after }, operationName: 'LiveEvents' },
      {
        next({ data, errors }) {
          if (errors !== undefined) refused(errors[0]?.extensions?.code)
          else if (data?.events !== undefined) take(data.events)
        },
        error(error) {
          if (isRefusal(error)) refused('UNAUTHENTICATED')
          retry()
        },
        complete: retry,
      },
    )
  }

  const stop = (): void => {
    setStatus('off')
    clearTimeout(retryTimer)
    clearTimeout(handOnTimer)
    handOnTimer = undefined
    waiting = []
    after = undefined
    unsubscribe?.()
    unsubscribe = undefined
  }

  /** Nobody waits for the timer when the network is known to be back. */
  const hurry = (): void => {
    if (retryTimer === undefined) return
    clearTimeout(retryTimer)
    connect()
  }

  window.addEventListener('online', hurry)

  return {
    get status() {
      return status
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watchStatus(changed) {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    start() {
      if (status !== 'off') return
      failures = 0
      setStatus('connecting')
      connect()
    },
    stop,
  }
}

const isRefusal = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'response' in error &&
  (error.response as { status?: number } | undefined)?.status === 401
