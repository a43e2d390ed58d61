import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FormattedExecutionResult } from 'graphql'

/** Comments keep proxies from closing a connection on which nothing happens. */
const COMMENT = ':\n\n'
const COMMENT_EVERY_MS = 12_000
/** What is still to be sent may take this long once the stream has ended; then the connection goes. */
const LINGER_MS = 500

/** An answer as Server-Sent Events, in the terms of GraphQL over SSE (distinct connections mode). */
export interface EventStream {
  /** Aborted once no more can be sent: the client is gone, or the stream has ended. */
  readonly closed: AbortSignal
  /** Sends a result, and resolves once the client has taken what was sent, up to what a socket buffers. */
  next(result: FormattedExecutionResult): Promise<void>
  /** Sends the last result, where there is one, and ends the stream. Further calls do nothing. */
  complete(last?: FormattedExecutionResult): void
}

/** Begins the answer. The library's own handler queues without end what a client does not take, hence this one. */
export function openEventStream(response: ServerResponse, headers: Record<string, string>): EventStream {
  const closed = new AbortController()
  const comments = setInterval(() => {
    if (!response.writableNeedDrain) response.write(COMMENT)
  }, COMMENT_EVERY_MS)
  const close = (): void => {
    clearInterval(comments)
    closed.abort()
  }
  if (response.destroyed) close()
  response.on('close', close)
  response.on('error', close)
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-store, no-transform',
    // A server that stops would wait for a connection kept for the next request.
    connection: 'close',
    // Proxies of this family hold answers back otherwise.
    'x-accel-buffering': 'no',
  })
  // Some browsers wait for a first byte of the body before they believe in the answer.
  response.write(COMMENT)

  return {
    closed: closed.signal,
    async next(result) {
      if (closed.signal.aborted || response.write(nextEvent(result))) return
      await once(response, 'drain', { signal: closed.signal }).catch(() => {})
    },
    complete(last) {
      if (closed.signal.aborted) return
      close()
      response.end(`${last === undefined ? '' : nextEvent(last)}event: complete\ndata: \n\n`)
      setTimeout(() => {
        if (!response.writableFinished) response.destroy()
      }, LINGER_MS).unref()
    },
  }
}

const nextEvent = (result: FormattedExecutionResult): string => `event: next\ndata: ${JSON.stringify(result)}\n\n`
