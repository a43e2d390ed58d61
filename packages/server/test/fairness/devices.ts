import { setTimeout as sleep } from 'node:timers/promises'
import { createThrottle } from '../../../cli/src/simulate/connection-throttle.ts'
import { newCounts } from '../../../cli/src/simulate/counts.ts'
import { type Credentials, createDevice } from '../../../cli/src/simulate/device.ts'

export interface ConnectedDevices {
  connected(): number
  failures(): Record<string, number>
  disconnect(): Promise<void>
}

const REPORT_EVERY_S = 5
const CONNECTS_PER_SECOND = 50
const CONNECTED_WITHIN_MS = 120_000
const POLL_MS = 50

/**
 * Connects devices over MQTT. Each device sends a report every five seconds. Resolves when all devices are connected,
 * or rejects after two minutes.
 */
export async function connectDevices(broker: string, devices: Credentials[]): Promise<ConnectedDevices> {
  const counts = newCounts(devices.length)
  const waitToConnect = createThrottle(CONNECTS_PER_SECOND)
  const running = devices.map((device) =>
    createDevice(device, { broker, every: REPORT_EVERY_S, dropEvery: 0, waitToConnect }, counts),
  )
  const ended = Promise.all(running.map((device) => device.run()))
  const connected: ConnectedDevices = {
    connected: () => counts.connected,
    failures: () => ({ ...counts.failures }),
    async disconnect() {
      for (const device of running) device.stop()
      await ended
    },
  }
  const end = performance.now() + CONNECTED_WITHIN_MS
  while (counts.connected < devices.length) {
    if (performance.now() > end) {
      await connected.disconnect()
      throw new Error(`${counts.connected} of ${devices.length} devices connected: ${JSON.stringify(counts.failures)}`)
    }
    await sleep(POLL_MS)
  }
  return connected
}
