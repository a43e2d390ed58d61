import { setTimeout as sleep } from 'node:timers/promises'
import type { LogRejection } from '../http/rejection-log.ts'
import type { Budget } from '../rate-limits/token-buckets.ts'
import type { Session } from './session-registry.ts'

/** Delays messages over the rate limit. A rejection would close the connection and lose the messages in flight. */
export interface Throttle {
  /**
   * Resolves, in the order of calls, when the device may send another message. Returns undefined if the device may send
   * a message now. Rejects if the connection ends first.
   */
  wait(session: Session, deviceId: string): Promise<void> | undefined
}

export function createThrottle(devices: Budget, logRejection: LogRejection): Throttle {
  const lastWaits = new WeakMap<Session, Promise<void>>()

  const waitForQuota = async ({ stream, address }: Session, deviceId: string): Promise<void> => {
    for (;;) {
      if (stream.destroyed) throw new Error('the connection ended while a message was delayed')
      const seconds = devices.take(deviceId, 1)
      if (seconds === 0) return
      logRejection('too many messages: slowed down', { device: deviceId, address })
      await sleep(Math.ceil(seconds * 1_000), undefined, { ref: false })
    }
  }

  return {
    wait(session, deviceId) {
      const previous = lastWaits.get(session)
      if (previous === undefined && devices.take(deviceId, 1) === 0) return undefined
      const wait = (previous ?? Promise.resolve()).then(() => waitForQuota(session, deviceId))
      const remove = (): void => {
        if (lastWaits.get(session) === wait) lastWaits.delete(session)
      }
      lastWaits.set(session, wait)
      wait.then(remove, remove)
      return wait
    },
  }
}
