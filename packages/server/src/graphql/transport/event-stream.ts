import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FormattedExecutionResult } from 'graphql'

/**
 * A comment in the stream. The first comment reports that the server accepted the subscription. Later comments keep
 * proxies from closing an idle connection.
 */
const COMMENT = ':\n\n'
const COMMENT_EVERY_MS = 12_000
/** How long a client has to receive the rest of an ended stream, in milliseconds. */
const LINGER_MS = 500

/** A Server-Sent Events response (GraphQL over SSE, distinct connections mode). */
export interface EventStream {
  /** Aborted when the client disconnects or the stream ends. */
  readonly closed: AbortSignal
  /** Sends a comment, which reports that the server accepted the subscription. */
  accept(): void
  /**
   * Sends a result. Resolves immediately if the response's buffer still has room, otherwise once the buffer is empty or
   * the stream has closed.
   */
  next(result: FormattedExecutionResult): Promise<void>
  /** Sends the last result, if any, and ends the stream. Further calls do nothing. */
  complete(last?: FormattedExecutionResult): void
}

/** Replaces the handler of `graphql-sse`, which queues data without limit for a slow client. */
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
    // With keep-alive, the connection would stay open after the stream ends.
    connection: 'close',
    // This header keeps nginx from buffering the response.
    'x-accel-buffering': 'no',
  })

  return {
    closed: closed.signal,
    accept() {
      // Some browsers report the response only after the first byte of its body.
      response.write(COMMENT)
    },
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
