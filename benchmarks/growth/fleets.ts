import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { type Installation, withInstallation } from '../../packages/cli/src/installation/installation.ts'
import { seedFleet, vacuumFleetTables } from '../../packages/cli/src/seed/seed-fleet.ts'
import { addUser, credentialsFileName } from '../../packages/cli/src/users/add-user.ts'
import { fillLog } from './event-log.ts'

/** A filter for them finds as many in a large fleet as in a small one. */
export const HITS = 100
export const hit = { lot: 'growth', namePart: 'zqx', commonPart: '4711-z', status: 'growth' }

export interface FleetSize {
  /** Nobody's for the owner, who is there anyway. */
  email?: string
  devices: number
  events: number
}

/** Fills an installation, or what it lacks of that: the same folder serves again. */
export async function makeFleets(
  folder: string,
  sizes: readonly FleetSize[],
  progress: (text: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  // The installation's settings are its environment, as they are for `muster seed`.
  delete process.env.DATABASE_URL
  process.env.MUSTER_DATA = folder
  await withInstallation(async (installation) => {
    for (const size of sizes) await makeFleet(installation, size, progress)
    progress('tidying up')
    await vacuumFleetTables(installation.pool)
  })
}

export const credentialsFile = (folder: string, email?: string): string =>
  join(folder, email === undefined ? 'credentials' : credentialsFileName(email))

async function makeFleet(
  installation: Installation,
  { email, ...size }: FleetSize,
  progress: (text: string) => void,
): Promise<void> {
  const accountId = await findAccount(installation, email)
  await furnish(installation.pool, { accountId, name: email ?? 'owner', ...size }, progress)
}

interface Furnishing extends Omit<FleetSize, 'email'> {
  accountId: string
  /** Of the fleet: the same makes the same devices. */
  name: string
}

/** Devices with a service each, some of which the filters are to find, and what was written of them in the log. */
export async function furnish(
  pool: pg.Pool,
  { accountId, name, devices, events }: Furnishing,
  progress: (text: string) => void,
): Promise<void> {
  const { rows } = await pool.query<{ present: string | null }>(
    'select sum(devices) as present from device_count where account_id = $1',
    [accountId],
  )
  if (Number(rows[0]!.present) < devices) {
    let done = 0
    await seedFleet(pool, { accountId, name, devices, services: 1 }, (count) => {
      done += count
      progress(`${done} of ${devices} devices`)
    })
    await pool.query('analyze device, device_live')
  }
  await markHits(pool, accountId)
  await fillLog(pool, { accountId, events, progress })
}

async function findAccount(installation: Installation, email: string | undefined): Promise<string> {
  const { rows } = await installation.pool.query<{ id: string }>(
    `select id from account where email = $1 or $1 is null order by created limit 1`,
    [email ?? null],
  )
  if (rows[0] !== undefined) return rows[0].id
  const { dataFolder } = installation.config
  const user = { email: email!, name: null, accessKeyName: 'growth', file: credentialsFile(dataFolder, email) }
  return (await addUser(installation, user)).id
}

/** Devices that lie evenly among all, and nobody else is inactive. */
async function markHits(pool: pg.Pool, accountId: string): Promise<void> {
  const { rowCount } = await pool.query(`select from device where account_id = $1 and attributes @> $2 limit 1`, [
    accountId,
    { lot: hit.lot },
  ])
  if (rowCount === 1) return
  const chosen = `
    select id from (select id, row_number() over (order by id) as number, count(*) over () / ${HITS} as step
      from device where account_id = $1) as numbered
    where number % step = 0 limit ${HITS}`
  await pool.query(
    `update device set attributes = attributes || $2, name = name || $3 where account_id = $1 and id in (${chosen})`,
    [accountId, { lot: hit.lot }, ` ${hit.commonPart} ${hit.namePart}`],
  )
  await pool.query(
    `update device_live as live set state = case when marked.id is null then 'active' else 'inactive' end,
      status_a = case when marked.id is null then live.status_a else $2 end
    from device left join (${chosen}) as marked using (id)
    where device.account_id = $1 and live.account_id = $1 and live.device_id = device.id
      and (marked.id is not null or live.state = 'inactive')`,
    [accountId, hit.status],
  )
  await pool.query('vacuum full device_live')
}
