import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFleetServer, type FleetServer } from '../../../../benchmarks/mqtt/fleet-server.ts'

/** Creates the data folder `named`, or a temporary folder if `named` is undefined. `close` removes only the latter. */
export async function openDataFolder(named: string | undefined): Promise<{ folder: string; close(): Promise<void> }> {
  if (named !== undefined) {
    await mkdir(named, { recursive: true, mode: 0o700 })
    return { folder: named, close: async () => {} }
  }
  const folder = await mkdtemp(join(tmpdir(), 'muster-fairness-'))
  return { folder, close: () => rm(folder, { recursive: true, force: true }) }
}

/** Creates a server with embedded PostgreSQL, as `npm start` does. */
export const createServer = (folder: string, env: Record<string, string> = {}): Promise<FleetServer> =>
  createFleetServer({ MUSTER_DATA: folder, MUSTER_LOG_LEVEL: 'error', ...env })

export interface Memory {
  /** The server process's resident memory, in MiB. */
  server: number
  /** The memory of the PostgreSQL processes, except shared buffers, in MiB. */
  database: number
}

export async function measureMemory(server: FleetServer, folder: string): Promise<Memory> {
  const postmaster = (await readFile(join(folder, 'pg', 'postmaster.pid'), 'utf8')).split('\n')[0]!
  const [own, database] = await Promise.all([server.memory(), familyMemory(postmaster)])
  return { server: own, database }
}

async function familyMemory(pid: string): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = [pid, ...children.split(' ').filter((child) => child !== '')]
  const sizes = await Promise.all(pids.map(anonymousMemory))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Returns a process's anonymous memory in MiB, or zero if the process has ended. */
async function anonymousMemory(pid: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
}
