import type { Log } from '../log.ts'
import { post } from '../registration/post.ts'
import type { Values } from '../sources/values.ts'
import type { Subject } from './session.ts'

/** How often a connection may end in the middle of a subject before that counts as a refusal. */
const STRIKES = 2
/** How long nothing is said of a subject that is refused. */
const SILENCE_MS = 10 * 60_000

/**
 * Tells a server that refuses what it is told from a network that fails: both close the connection, but only the first does
 * so again and again over the same. What is refused is left out, so that the rest gets through.
 */
export interface Refusals {
  isSilentOn(subject: Subject): boolean
  cutShort(subject: Subject): void
  taken(subject: Subject): void
}

export function createRefusals(log: Log, now: () => number): Refusals {
  const strikes = new Map<Subject, number>()
  const silentUntil = new Map<Subject, number>()
  return {
    isSilentOn: (subject) => (silentUntil.get(subject) ?? 0) > now(),
    cutShort(subject) {
      const count = (strikes.get(subject) ?? 0) + 1
      strikes.set(subject, count)
      if (count < STRIKES) return
      strikes.delete(subject)
      silentUntil.set(subject, now() + SILENCE_MS)
      if (subject !== 'values') {
        log.warn(`the server closes the connection at the ${subject}; its log says why`, { again: '10 minutes' })
      }
    },
    taken: (subject) => void strikes.delete(subject),
  }
}

interface ByHttp {
  url: string
  device: { deviceId: string; secret: string }
  ca: string[] | undefined
}

/** Reports each value by itself over HTTP, which says why it is refused. One that is refused waits until it changes. */
export async function reportByHttp(values: Values, { url, device, ca }: ByHttp, log: Log): Promise<void> {
  for (const [attribute, value] of values.pending()) {
    const body = { attributes: { [attribute]: value } }
    const answer = await post({ url: `${url.replace(/\/+$/, '')}/devices/v1/report`, body, device, ca }).catch(
      () => undefined,
    )
    const error = answer?.body?.errors?.[0]
    const code: unknown = error?.extensions?.code
    const isJudged = answer?.status === 200 || isRefusal(answer?.status ?? 0, code)
    if (!isJudged) return
    values.settled(attribute, value)
    if (answer?.status !== 200)
      log.warn('the server refuses a value', { attribute, code: String(code), why: error.message })
  }
}

const isRefusal = (status: number, code: unknown): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 429 && typeof code === 'string'
