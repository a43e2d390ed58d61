import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'

/** The minimum time, in milliseconds, between two log lines with the same reason. */
const INTERVAL_MS = 10_000

/** `details` must not contain client input, because a client may send a secret in the wrong place. */
export type LogRejection = (reason: string, details: Record<string, unknown>) => void

/**
 * Returns a function that logs the message `what` at most once per `INTERVAL_MS` for each reason. A line includes the
 * number of rejections that were not logged since the last line with the same reason.
 */
export function createRejectionLog(
  log: Pick<FastifyBaseLogger, 'warn'>,
  what: string,
  now: () => number = () => performance.now(),
): LogRejection {
  const reasons = new Map<string, { loggedAt: number; suppressed: number }>()
  return (reason, details) => {
    const last = reasons.get(reason)
    if (last !== undefined && now() - last.loggedAt < INTERVAL_MS) {
      last.suppressed++
      return
    }
    log.warn({ ...details, reason, suppressed: last?.suppressed ?? 0 }, what)
    reasons.set(reason, { loggedAt: now(), suppressed: 0 })
  }
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`
const attributeName = new RegExp(String.raw`\battributes(?:\.[\p{L}\p{N}_$.-]+|\[${quoted}\])+`, 'gu')
const anyQuoted = new RegExp(quoted, 'gu')

/** Removes client input from an error message: quoted strings, and attribute names that follow `attributes`. */
export const withoutInput = (message: string): string =>
  message.replace(attributeName, 'attributes.…').replace(anyQuoted, '"…"')
