import type pg from 'pg'
import { seedFleet, vacuumFleetTables } from '../../packages/cli/src/seed/seed-fleet.ts'
import { graphql, type Operation } from '../run/operation.ts'

export interface Fleet {
  accountId: string
  devices: number
  /** The context in which every tenth device has an override. */
  context: string
  /** Of some devices, as many as are written to at once. */
  deviceIds: readonly string[]
}

export interface FleetOptions {
  devices: number
  /** Of each device. */
  services: number
  /** Asks the server. */
  ask(operation: Operation): Promise<unknown>
}

const CONTEXT = 'night'
const PER_CALL = 1_000
const WRITTEN_TO = 64

/** Devices of the only account, as `muster seed` makes them. */
export async function makeFleet(pool: pg.Pool, { devices, services, ask }: FleetOptions): Promise<Fleet> {
  const { rows } = await pool.query<{ id: string }>('select id from account')
  const accountId = rows[0]!.id
  await seedFleet(pool, { accountId, name: 'fleet 1', devices, services }, () => {})
  await overrideTenth(pool, accountId, ask)
  await vacuumFleetTables(pool)
  await pool.query('vacuum (analyze) attribute_override')
  return { accountId, devices, context: CONTEXT, deviceIds: await everyNth(pool, accountId, devices / WRITTEN_TO) }
}

/** Through the API, which keeps more than one row in step. */
async function overrideTenth(pool: pg.Pool, accountId: string, ask: FleetOptions['ask']): Promise<void> {
  const ids = await everyNth(pool, accountId, 10)
  for (let from = 0; from < ids.length; from += PER_CALL) {
    const items = ids.slice(from, from + PER_CALL).map((serviceId) => ({
      serviceId,
      context: CONTEXT,
      attributes: { site: 'closed', net: { ssid: 'night' } },
    }))
    const document = 'mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }'
    await ask(graphql('server', document, { items }))
  }
}

/** Ids that lie evenly in the order of names. */
async function everyNth(pool: pg.Pool, accountId: string, n: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from (
       select id, row_number() over (order by name collate natural_order, id) as position from device where account_id = $1
     ) as numbered where position % $2 = 0 order by position`,
    [accountId, Math.floor(n)],
  )
  return rows.map(({ id }) => id)
}
