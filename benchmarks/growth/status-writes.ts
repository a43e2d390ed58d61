import { setTimeout as sleep } from 'node:timers/promises'
import type { Meanwhile } from './measure.ts'
import type { User } from './servers.ts'

const EVERY_MS = 20
/** What could not be written in time is left out: to catch up in a burst would be another load. */
const AT_ONCE = 64
const ENOUGH = 0.9

/** Writes a status of one device after the other, so many a second, until it is ended; says how many there were. */
export function startWriting(user: User, ids: readonly string[], perSecond: number): () => Promise<Meanwhile> {
  const began = performance.now()
  let written = 0
  let isOver = false
  const write = (): Promise<unknown> => {
    const deviceId = ids[(written * 7_919) % ids.length]
    return user.ask(setAttribute, { deviceId, name: '$svc.statusB', value: `${written++ % 101} %` })
  }
  const running = (async () => {
    let last = began
    while (!isOver) {
      const now = performance.now()
      const due = Math.round(((now - last) * perSecond) / 1_000)
      last = now
      await Promise.all(Array.from({ length: Math.min(due, AT_ONCE) }, write))
      await sleep(EVERY_MS)
    }
  })()
  // Whoever ends it is told.
  running.catch(() => {})
  return async () => {
    isOver = true
    await running
    const reached = Math.round(written / ((performance.now() - began) / 1_000))
    return { note: `${reached} status writes a second, of ${perSecond}`, isEnough: reached >= ENOUGH * perSecond }
  }
}

export const setAttribute = `mutation ($deviceId: String!, $name: String!, $value: String) {
  setAttribute(serviceId: $deviceId, name: $name, value: $value)
}`
