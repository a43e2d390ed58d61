import { setTimeout as sleep } from 'node:timers/promises'
import type { BackgroundLoad } from './measure-ratio.ts'
import type { User } from './servers.ts'

const INTERVAL_MS = 20
/** The maximum number of writes in one interval. Further writes that are due are skipped, to avoid large bursts. */
const MAX_PER_INTERVAL = 64
const MIN_ACHIEVED_SHARE = 0.9

/**
 * Starts writes at a target rate. The returned function stops the writes and reports the achieved rate. If a write has
 * failed, the function throws the error of the write instead.
 */
export function startStatusWrites(
  user: User,
  ids: readonly string[],
  perSecond: number,
): () => Promise<BackgroundLoad> {
  const began = performance.now()
  let written = 0
  let isStopped = false
  const write = (): Promise<unknown> => {
    const deviceId = ids[(written * 7_919) % ids.length]
    return user.query(setAttribute, { deviceId, name: '$svc.statusB', value: `${written++ % 101} %` })
  }
  const running = (async () => {
    let last = began
    while (!isStopped) {
      const now = performance.now()
      const due = Math.round(((now - last) * perSecond) / 1_000)
      last = now
      await Promise.all(Array.from({ length: Math.min(due, MAX_PER_INTERVAL) }, write))
      await sleep(INTERVAL_MS)
    }
  })()
  // Prevent an unhandled rejection if a write fails before the returned function is called.
  running.catch(() => {})
  return async () => {
    isStopped = true
    await running
    const achieved = Math.round(written / ((performance.now() - began) / 1_000))
    return {
      note: `${achieved} status writes per second (target: ${perSecond})`,
      isEnough: achieved >= MIN_ACHIEVED_SHARE * perSecond,
    }
  }
}

export const setAttribute = `mutation ($deviceId: String!, $name: String!, $value: String) {
  setAttribute(serviceId: $deviceId, name: $name, value: $value)
}`
