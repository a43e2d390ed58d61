import type { OutboundResult } from '../../../outbound/outbound-post.ts'
import type { DeliveryStatus } from '../webhook.ts'

export interface Evaluation {
  status: DeliveryStatus
  /** The number of seconds until the next attempt. Null if no attempt follows. */
  delay: number | null
  error: string | null
  /** Whether the receiver no longer accepts deliveries. */
  isGone: boolean
}

export interface EvaluationOptions {
  tries: number
  /**
   * How many seconds to wait after the first, second, and each later failed attempt. The actual delays differ by up to
   * 20%, and `Retry-After` can extend them.
   */
  schedule: readonly number[]
  now: Date
  /** Whether the webhook's URL has changed since the attempt, so that a 410 response does not apply to the new URL. */
  isReplaced?: boolean
  random?: () => number
}

const DAY_SECONDS = 86_400
const SPREAD = 0.2

export function evaluate(result: OutboundResult, options: EvaluationOptions): Evaluation {
  if (result.status === null) return failure(result.error, undefined, options)
  const { status, retryAfter } = result
  if (status >= 200 && status < 300) return { status: 'delivered', delay: null, error: null, isGone: false }
  // In Standard Webhooks, status 410 means that the receiver no longer accepts deliveries.
  if (status === 410 && options.isReplaced !== true)
    return { status: 'failed', delay: null, error: 'the receiver responded with status 410 (Gone)', isGone: true }
  return failure(`the receiver responded with status ${status}`, readRetryAfter(retryAfter, options.now), options)
}

function failure(error: string, wanted: number | undefined, options: EvaluationOptions): Evaluation {
  const { tries, schedule, random = Math.random } = options
  const planned = schedule[tries]
  if (planned === undefined) return { status: 'failed', delay: null, error, isGone: false }
  const delay = planned * (1 - SPREAD + 2 * SPREAD * random())
  return { status: 'pending', delay: Math.max(delay, wanted ?? 0), error, isGone: false }
}

/**
 * Parses the header `Retry-After`, which contains a number of seconds or a date (RFC 9110 §10.2.3). Returns a number of
 * seconds, which is at most one day. Returns undefined if the header is missing or invalid.
 */
function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.min(seconds, DAY_SECONDS)
}
