import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetServer } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { startAttacker } from './attacker-process.ts'
import { connectDevices } from './devices.ts'
import { measureOtherUser } from './other-user.ts'
import type { Population } from './population.ts'
import type { Row } from './rows.ts'
import { type Memory, measureMemory } from './server.ts'
import { watch } from './watch.ts'

export interface Result {
  row: Row
  times: number[]
  rejections: Record<string, number>
  readyz: Record<string, number>
  /** The number of devices connected at the end, the number of all devices, and counts of the devices' failures. */
  devices: { connected: number; of: number; failures: Record<string, number> }
  memory: { before: Memory; most: Memory; after: Memory }
  /** Counts of the attacker's outcomes, and the counts that the function returned by `begin` returns. */
  outcomes: Record<string, number>
  /** The longest time that a connection with the behavior `wait` was open, in milliseconds. */
  longestOpen: number
}

interface Setup {
  server: FleetServer
  folder: string
  population: Population
}

const OTHER_ADDRESS = '127.0.0.2'
const ATTACKER_ADDRESS = '127.0.0.3'
/** The pause that lets the server become idle after the devices connect. */
const PAUSE_MS = 3_000
/** The time limit for the server to release memory after the attack. */
const RECOVER_MS = 60_000
const POLL_MS = 1_000
/** After the attack, the server's memory must be less than this many MiB above its memory before the attack. */
export const REMAINING_MIB = 150

export interface RunOptions {
  seconds: number
  /** The fraction of the attack's connections to open. The default is 1. */
  share?: number
  until?: (outcomes: Record<string, number>) => boolean
}

export async function runRow(
  { server, folder, population }: Setup,
  row: Row,
  { seconds, share = 1, until = () => true }: RunOptions,
): Promise<Result> {
  const { url } = server
  const devices = await connectDevices(server.broker, population.connected.devices)
  const attacker = await startAttacker()
  try {
    await sleep(PAUSE_MS)
    const before = await measureMemory(server, folder)
    const failedBefore = devices.failures()
    const end = new AbortController()
    const from = row.sharesAddress ? OTHER_ADDRESS : ATTACKER_ADDRESS
    const target = { url, population, from }
    const endWork = await row.begin?.(target)
    const attacks = row.attacks(target)
    attacker.start(attacks.map((attack) => ({ ...attack, connections: Math.ceil(attack.connections * share) })))
    const measuring = Promise.all([
      measureOtherUser(url, population.other, OTHER_ADDRESS, end.signal),
      watch(server, folder, end.signal),
    ])
    await sleep(seconds * 1_000)
    while (!until(attacker.state().outcomes)) await sleep(POLL_MS)
    end.abort()
    const [other, watched] = await measuring
    const stopped = await attacker.stop()
    const outcomes = { ...stopped.outcomes, ...(await endWork?.()) }
    const found = {
      connected: devices.connected(),
      of: population.connected.devices.length,
      failures: difference(devices.failures(), failedBefore),
    }
    const after = await memoryAfter(server, folder, before)
    const memory = { before, most: mostOf([before, ...watched.memory]), after }
    return { row, ...other, readyz: watched.readyz, devices: found, memory, outcomes, longestOpen: stopped.longestOpen }
  } finally {
    await attacker.stop()
    await devices.disconnect()
  }
}

async function memoryAfter(server: FleetServer, folder: string, before: Memory): Promise<Memory> {
  const end = performance.now() + RECOVER_MS
  for (;;) {
    const memory = await measureMemory(server, folder)
    if (memory.server < before.server + REMAINING_MIB || performance.now() > end) return memory
    await sleep(POLL_MS)
  }
}

const mostOf = (memory: readonly Memory[]): Memory => ({
  server: Math.max(...memory.map(({ server }) => server)),
  database: Math.max(...memory.map(({ database }) => database)),
})

function difference(now: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const grown = Object.entries(now).map(([what, count]): [string, number] => [what, count - (before[what] ?? 0)])
  return Object.fromEntries(grown.filter(([, count]) => count > 0))
}
