import { forEachConcurrently } from '@muster/client'
import type pg from 'pg'
import { fleetStatement } from './fleet-sql.ts'

export interface Fleet {
  accountId: string
  /** Tells this fleet from others: the same name always makes the same devices. */
  name: string
  devices: number
  /** Of each device. */
  services: number
}

const ROWS = 20_000
/** More gain nothing: a batch keeps one core busy. */
const CONNECTIONS = 2

/** Adds a made-up fleet and returns how many devices are new. */
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
    // Made-up rows can be made again, so their commit need not wait for the disk.
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
    // Taking the connection down rolls back.
    client.release(true)
    throw error
  }
}

/** Statistics and visibility for the planner, as the database would get to by and by. */
export async function tidyUp(pool: pg.Pool): Promise<void> {
  for (const table of ['device', 'device_live', 'service']) await pool.query(`vacuum (analyze) ${table}`)
}
