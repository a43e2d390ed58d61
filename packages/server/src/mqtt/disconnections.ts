import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import { boundedMap } from '../lib/bounded-map.ts'
import type { Session } from './sessions.ts'

const EVERY_MS = 10_000
const REMEMBERED = 1_000

/** Why the server ends the connection of a device that had signed on. */
export const disconnected = {
  signedOnAgain: 'it signed on again',
  signedOnElsewhere: 'it signed on at another server',
  cutOff: 'its secret was rotated, or it was deleted',
} as const

/** Says that a device was disconnected, and why. */
export type LogDisconnection = (session: Pick<Session, 'device' | 'address'>, reason: string) => void

/**
 * Two that are set up as one device put each other out as fast as they can sign on: each device is told of once in ten seconds for
 * each reason, with how often it was since it was told last.
 */
export function createDisconnectionLog(
  log: Pick<FastifyBaseLogger, 'info'>,
  now: () => number = () => performance.now(),
): LogDisconnection {
  const told = boundedMap<string, { at: number; since: number }>(REMEMBERED)
  return ({ device, address }, reason) => {
    const name = `${device?.deviceId} ${reason}`
    const before = told.get(name)
    if (before !== undefined && now() - before.at < EVERY_MS) {
      before.since++
      return
    }
    log.info({ device: device?.deviceId, address, reason, alsoBefore: before?.since ?? 0 }, 'a device was disconnected')
    told.set(name, { at: now(), since: 0 })
  }
}
