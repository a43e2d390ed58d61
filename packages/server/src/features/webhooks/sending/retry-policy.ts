import type { OutboundAnswer } from '../../../outbound/outbound.ts'
import type { DeliveryStatus } from '../webhook.ts'

/** What a response means for its delivery. */
export interface Verdict {
  status: DeliveryStatus
  /** Seconds until the next attempt; null if there is none. */
  delay: number | null
  error: string | null
  /** The receiver wants no more deliveries. */
  isGone: boolean
}

export interface VerdictOptions {
  /** Attempts before this one. */
  tries: number
  /** Seconds between attempts. */
  schedule: readonly number[]
  now: Date
  /** Whether the webhook now has another receiver, which may want deliveries. */
  isFormer?: boolean
  /** From 0 to 1. */
  random?: () => number
}

const DAY_SECONDS = 86_400
const SPREAD = 0.2

export function judge(answer: OutboundAnswer, options: VerdictOptions): Verdict {
  if (answer.status === null) return failure(answer.error, undefined, options)
  const { status, retryAfter } = answer
  if (status >= 200 && status < 300) return { status: 'delivered', delay: null, error: null, isGone: false }
  // Standard Webhooks: the receiver no longer wants this webhook.
  if (status === 410 && options.isFormer !== true)
    return { status: 'failed', delay: null, error: 'the receiver responded with 410 Gone', isGone: true }
  return failure(`the receiver responded with ${status}`, readRetryAfter(retryAfter, options.now), options)
}

function failure(error: string, wanted: number | undefined, options: VerdictOptions): Verdict {
  const { tries, schedule, random = Math.random } = options
  const planned = schedule[tries]
  if (planned === undefined) return { status: 'failed', delay: null, error, isGone: false }
  const delay = planned * (1 - SPREAD + 2 * SPREAD * random())
  return { status: 'pending', delay: Math.max(delay, wanted ?? 0), error, isGone: false }
}

/** RFC 9110 §10.2.3: seconds or a date. Limited to one day. */
function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.min(seconds, DAY_SECONDS)
}
