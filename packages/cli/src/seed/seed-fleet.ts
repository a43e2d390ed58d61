import { forEachConcurrently } from '@muster/client'
import type pg from 'pg'
import { fleetStatement } from './fleet-sql.ts'

export interface Fleet {
  accountId: string
  /** Fleet name. The same name always creates the same devices. */
  name: string
  devices: number
  services: number
}

const ROWS = 20_000
/** Number of connections. Each one keeps a core busy, so more connections would help only with more than two cores. */
const CONNECTIONS = 2

export async function seedFleet(pool: pg.Pool, fleet: Fleet, onProgress: (devices: number) => void): Promise<number> {
  const size = Math.max(1, Math.floor(ROWS / (1 + fleet.services)))
  let added = 0
  const add = async ([first, last]: [number, number]): Promise<void> => {
    const count = await addRange(pool, fleet, first, last)
    added += count
    onProgress(last - first + 1)
  }
  await forEachConcurrently(ranges(fleet.devices, size), add, { concurrency: CONNECTIONS })
  return added
}

function* ranges(count: number, size: number): Generator<[first: number, last: number]> {
  for (let first = 1; first <= count; first += size) yield [first, Math.min(count, first + size - 1)]
}

async function addRange(
  pool: pg.Pool,
  { accountId, name, services }: Fleet,
  first: number,
  last: number,
): Promise<number> {
  const client = await pool.connect()
  try {
    // Commits do not wait for the disk, because sample rows that a crash loses can be created again.
    await client.query('begin; set local synchronous_commit = off; set local gin_pending_list_limit = 65536')
    const { rows } = await client.query<{ added: number }>({
      name: 'seed',
      text: fleetStatement,
      values: [accountId, first, last, services, name],
    })
    await client.query('commit')
    client.release()
    return rows[0]!.added
  } catch (error) {
    // Closing the connection rolls back the transaction.
    client.release(true)
    throw error
  }
}

/** Updates the planner statistics and the visibility map without waiting for autovacuum. */
export async function vacuumFleetTables(pool: pg.Pool): Promise<void> {
  for (const table of ['device', 'device_live', 'service']) await pool.query(`vacuum (analyze) ${table}`)
}
