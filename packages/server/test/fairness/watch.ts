import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetServer } from '../../../../benchmarks/mqtt/fleet-server.ts'
import { type Memory, measureMemory } from './server.ts'

export interface Watched {
  readyz: Record<string, number>
  memory: Memory[]
}

const POLL_MS = 250
const RESPONSE_WITHIN_MS = 60_000

export async function watch(server: FleetServer, folder: string, signal: AbortSignal): Promise<Watched> {
  const watched: Watched = { readyz: {}, memory: [] }
  while (!signal.aborted) {
    const [status, memory] = await Promise.all([readyz(server.url), measureMemory(server, folder)])
    watched.readyz[status] = (watched.readyz[status] ?? 0) + 1
    watched.memory.push(memory)
    await sleep(POLL_MS)
  }
  return watched
}

async function readyz(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(RESPONSE_WITHIN_MS) })
    await response.arrayBuffer()
    return String(response.status)
  } catch (error) {
    return (error as Error).name
  }
}
