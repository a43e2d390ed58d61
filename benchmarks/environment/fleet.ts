import type pg from 'pg'
import { seedFleet, vacuumFleetTables } from '../../packages/cli/src/seed/seed-fleet.ts'
import { graphql, type Operation } from '../run/operation.ts'

export interface Fleet {
  accountId: string
  devices: number
  context: string
  deviceIds: readonly string[]
}

export interface FleetOptions {
  devices: number
  services: number
  send(operation: Operation): Promise<unknown>
}

const CONTEXT = 'night'
const BATCH_SIZE = 1_000
const WRITTEN_DEVICES = 64

/** Creates devices in the only account, as `muster seed` does, and adds overrides to a tenth of them. */
export async function createFleet(pool: pg.Pool, { devices, services, send }: FleetOptions): Promise<Fleet> {
  const { rows } = await pool.query<{ id: string }>('select id from account')
  const accountId = rows[0]!.id
  await seedFleet(pool, { accountId, name: 'fleet 1', devices, services }, () => {})
  await overrideTenth(pool, accountId, send)
  await vacuumFleetTables(pool)
  await pool.query('vacuum (analyze) attribute_override')
  return { accountId, devices, context: CONTEXT, deviceIds: await everyNth(pool, accountId, devices / WRITTEN_DEVICES) }
}

/** Sets the overrides with the API instead of SQL, because the server writes several rows for each override. */
async function overrideTenth(pool: pg.Pool, accountId: string, send: FleetOptions['send']): Promise<void> {
  const ids = await everyNth(pool, accountId, 10)
  for (let from = 0; from < ids.length; from += BATCH_SIZE) {
    const items = ids.slice(from, from + BATCH_SIZE).map((serviceId) => ({
      serviceId,
      context: CONTEXT,
      attributes: { site: 'closed', net: { ssid: 'night' } },
    }))
    const document = 'mutation ($items: [AttributesInput!]!) { setAttributesMany(items: $items) { code } }'
    await send(graphql('server', document, { items }))
  }
}

async function everyNth(pool: pg.Pool, accountId: string, n: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from (
       select id, row_number() over (order by name collate natural_order, id) as position from device where account_id = $1
     ) as numbered where position % $2 = 0 order by position`,
    [accountId, Math.floor(n)],
  )
  return rows.map(({ id }) => id)
}
