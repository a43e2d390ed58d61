import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'

const EVERY_MS = 10_000

/** Says why something was refused. `details` hold nothing that could be a secret in the wrong place. */
export type LogRefusal = (reason: string, details: Record<string, unknown>) => void

/**
 * A refusal is worth a line in the log, and a million of them are not: each reason is told once in ten seconds, with how many
 * there were since it was told last.
 */
export function createRefusalLog(
  log: Pick<FastifyBaseLogger, 'warn'>,
  what: string,
  now: () => number = () => performance.now(),
): LogRefusal {
  const reasons = new Map<string, { told: number; since: number }>()
  return (reason, details) => {
    const before = reasons.get(reason)
    if (before !== undefined && now() - before.told < EVERY_MS) {
      before.since++
      return
    }
    log.warn({ ...details, reason, alsoRefused: before?.since ?? 0 }, what)
    reasons.set(reason, { told: now(), since: 0 })
  }
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`
const attributeName = new RegExp(String.raw`\battributes(?:\.[\p{L}\p{N}_$.-]+|\[${quoted}\])+`, 'gu')
const anyQuoted = new RegExp(quoted, 'gu')

/** A message of an error without what its caller sent: messages quote that, and call an attribute by its name after `attributes`. */
export const withoutInput = (message: string): string =>
  message.replace(attributeName, 'attributes.…').replace(anyQuoted, '"…"')
