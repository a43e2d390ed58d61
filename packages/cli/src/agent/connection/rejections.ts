import type { Log } from '../log.ts'
import { post } from '../registration/post.ts'
import type { Values } from '../sources/unreported-values.ts'
import type { Subject } from './session.ts'

/** Number of consecutive interrupted reports of a subject after which the subject counts as rejected. */
const STRIKES = 2
const MUTED_MS = 10 * 60_000

/** Names of subjects in log messages. Values need no name, because `reportByHttp` logs each rejected value. */
const subjectNames = { services: 'service list', states: 'service states' } as const

/**
 * Records which subjects the server rejects. Rejections and network failures both close the connection, so only
 * repeated interruptions of the same subject count as a rejection. A rejected subject is muted for 10 minutes: the
 * agent does not publish it over MQTT.
 */
export interface Rejections {
  isMuted(subject: Subject): boolean
  interrupted(subject: Subject): void
  accepted(subject: Subject): void
}

export function createRejections(log: Log, now: () => number): Rejections {
  const strikes = new Map<Subject, number>()
  const mutedUntil = new Map<Subject, number>()
  return {
    isMuted: (subject) => (mutedUntil.get(subject) ?? 0) > now(),
    interrupted(subject) {
      const count = (strikes.get(subject) ?? 0) + 1
      strikes.set(subject, count)
      if (count < STRIKES) return
      strikes.delete(subject)
      mutedUntil.set(subject, now() + MUTED_MS)
      if (subject !== 'values') {
        log.warn(
          `the connection repeatedly ended before the server accepted the ${subjectNames[subject]}; see the server log for the reason`,
          { retryIn: '10 minutes' },
        )
      }
    },
    accepted: (subject) => void strikes.delete(subject),
  }
}

interface ByHttp {
  url: string
  device: { deviceId: string; secret: string }
  ca: string[] | undefined
}

/**
 * Reports each pending value separately over HTTP, marks accepted and rejected values as done, and logs the rejections.
 * Stops if the server neither accepts nor rejects a value, for example because the server is unavailable.
 */
export async function reportByHttp(values: Values, { url, device, ca }: ByHttp, log: Log): Promise<void> {
  for (const [attribute, value] of values.pending()) {
    const body = { attributes: { [attribute]: value } }
    const response = await post({ url: `${url.replace(/\/+$/, '')}/devices/v1/report`, body, device, ca }).catch(
      () => undefined,
    )
    const error = response?.body?.errors?.[0]
    const code: unknown = error?.extensions?.code
    const isDecided = response?.status === 200 || isRejection(response?.status ?? 0, code)
    if (!isDecided) return
    values.markDone(attribute, value)
    if (response?.status !== 200)
      log.warn('the server rejected a value', { attribute, code: String(code), reason: error.message })
  }
}

const isRejection = (status: number, code: unknown): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 429 && typeof code === 'string'
