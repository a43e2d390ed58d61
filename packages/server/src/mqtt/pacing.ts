import { setTimeout as sleep } from 'node:timers/promises'
import type { LogRefusal } from '../http/refusals.ts'
import type { Budget } from '../rate-limits/budget.ts'
import type { Session } from './sessions.ts'

/**
 * Lets a device that says too much wait: to refuse it would close its connection, and what it says then would be lost. No more
 * is read from it meanwhile.
 */
export interface Pacing {
  /** Settles when the device may say one thing more; in the order in which it was asked. Rejects when its connection ends before that. */
  turn(session: Session, deviceId: string): Promise<void> | undefined
}

export function createPacing(devices: Budget, refuse: LogRefusal): Pacing {
  const lastTurns = new WeakMap<Session, Promise<void>>()

  const wait = async ({ stream, address }: Session, deviceId: string): Promise<void> => {
    for (;;) {
      if (stream.destroyed) throw new Error('the connection ended while the device had to wait')
      const seconds = devices.take(deviceId, 1)
      if (seconds === 0) return
      refuse('too many messages: slowed down', { device: deviceId, address })
      await sleep(Math.ceil(seconds * 1_000), undefined, { ref: false })
    }
  }

  return {
    turn(session, deviceId) {
      const before = lastTurns.get(session)
      if (before === undefined && devices.take(deviceId, 1) === 0) return undefined
      const turn = (before ?? Promise.resolve()).then(() => wait(session, deviceId))
      const leave = (): void => {
        if (lastTurns.get(session) === turn) lastTurns.delete(session)
      }
      lastTurns.set(session, turn)
      turn.then(leave, leave)
      return turn
    },
  }
}
