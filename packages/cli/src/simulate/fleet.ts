import { setTimeout as sleep } from 'node:timers/promises'
import { createThrottle } from './connection-throttle.ts'
import { type Counts, newCounts } from './counts.ts'
import { type Behavior, type Credentials, createDevice } from './device.ts'

export interface FleetOptions extends Omit<Behavior, 'waitToConnect'> {
  devices: readonly Credentials[]
  /** Duration of the simulation, in seconds. */
  duration: number
  /** Maximum number of new connections per second. */
  rate: number
  onTick: (counts: Counts) => void
  signal: AbortSignal
}

export async function runFleet({
  devices,
  duration,
  rate,
  onTick,
  signal,
  ...behavior
}: FleetOptions): Promise<Counts> {
  const counts = newCounts(devices.length)
  const waitToConnect = createThrottle(rate)
  const fleet = devices.map((device) => createDevice(device, { ...behavior, waitToConnect }, counts))
  const running = fleet.map((device) => device.run())
  const ticking = setInterval(() => onTick(counts), 1_000)
  try {
    await sleep(duration * 1_000, undefined, { signal }).catch(() => {})
  } finally {
    clearInterval(ticking)
    for (const device of fleet) device.stop()
    await Promise.all(running)
  }
  return counts
}
