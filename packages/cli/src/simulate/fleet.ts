import { setTimeout as sleep } from 'node:timers/promises'
import { type Counts, newCounts } from './counts.ts'
import { type Behaviour, type Credentials, createDevice } from './device.ts'
import { createPace } from './pace.ts'

export interface FleetOptions extends Omit<Behaviour, 'turn'> {
  devices: readonly Credentials[]
  /** Seconds. */
  duration: number
  /** Connections begun a second at most. */
  rate: number
  /** Called each second. */
  onTick: (counts: Counts) => void
  signal: AbortSignal
}

/** Lets devices live for a while and says what happened. */
export async function runFleet({
  devices,
  duration,
  rate,
  onTick,
  signal,
  ...behaviour
}: FleetOptions): Promise<Counts> {
  const counts = newCounts(devices.length)
  const turn = createPace(rate)
  const fleet = devices.map((device) => createDevice(device, { ...behaviour, turn }, counts))
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
