import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger } from 'fastify'
import { boundedMap } from '../lib/bounded-map.ts'
import type { Session } from './session-registry.ts'

const LOG_EVERY_MS = 10_000
const MAX_ENTRIES = 1_000

/** The reasons that `createDisconnectionLog` logs. Disconnections because of rejected packets are logged elsewhere. */
export const disconnected = {
  connectedAgain: 'it connected again',
  connectedElsewhere: 'it connected to another server process',
  cutOff: 'its secret was rotated, it was deleted or moved to another account, or its account was disabled',
} as const

export type LogDisconnection = (session: Pick<Session, 'device' | 'address'>, reason: string) => void

/**
 * Logs disconnections, but only one every ten seconds for each device and reason. Two devices with the same credentials
 * disconnect each other repeatedly, which would otherwise fill the log. The function remembers the last log line for
 * up to `MAX_ENTRIES` pairs of a device and a reason.
 */
export function createDisconnectionLog(
  log: Pick<FastifyBaseLogger, 'info'>,
  now: () => number = () => performance.now(),
): LogDisconnection {
  const logged = boundedMap<string, { at: number; suppressed: number }>(MAX_ENTRIES)
  return ({ device, address }, reason) => {
    const key = `${device?.deviceId} ${reason}`
    const before = logged.get(key)
    if (before !== undefined && now() - before.at < LOG_EVERY_MS) {
      before.suppressed++
      return
    }
    log.info(
      { device: device?.deviceId, address, reason, suppressed: before?.suppressed ?? 0 },
      'a device was disconnected',
    )
    logged.set(key, { at: now(), suppressed: 0 })
  }
}
