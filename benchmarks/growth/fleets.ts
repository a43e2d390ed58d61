import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { type Installation, withInstallation } from '../../packages/cli/src/installation/migrate-and-set-up.ts'
import { seedFleet, vacuumFleetTables } from '../../packages/cli/src/seed/seed-fleet.ts'
import { addUser, credentialsFileName } from '../../packages/cli/src/users/add-user.ts'
import { fillEventLog } from './event-log.ts'

export const MATCHES = 100
export const matching = { lot: 'growth', namePart: 'zqx', commonPart: '4711-z', status: 'growth' }

export interface FleetSize {
  /** Email address of the fleet's user. Omit for the owner, who already exists. */
  email?: string
  devices: number
  events: number
}

/** Creates the fleets in an installation unless they already exist, so that later runs can reuse a data folder. */
export async function createFleets(
  folder: string,
  sizes: readonly FleetSize[],
  progress: (text: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Change the environment, because `withInstallation` reads its settings from environment variables.
  delete process.env.DATABASE_URL
  process.env.MUSTER_DATA = folder
  await withInstallation(async (installation) => {
    for (const size of sizes) await createFleet(installation, size, progress)
    progress('vacuuming')
    await vacuumFleetTables(installation.pool)
  })
}

export const credentialsFile = (folder: string, email?: string): string =>
  join(folder, email === undefined ? 'credentials' : credentialsFileName(email))

async function createFleet(
  installation: Installation,
  { email, ...size }: FleetSize,
  progress: (text: string) => void,
): Promise<void> {
  const accountId = await findAccount(installation, email)
  await fillAccount(installation.pool, { accountId, name: email ?? 'owner', ...size }, progress)
}

interface AccountContents extends Omit<FleetSize, 'email'> {
  accountId: string
  name: string
}

/**
 * Creates devices, each with one service, and events until the account has `devices` devices and `events` events. The
 * values in `matching` then match `MATCHES` of the devices.
 */
export async function fillAccount(
  pool: pg.Pool,
  { accountId, name, devices, events }: AccountContents,
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
  await markMatches(pool, accountId)
  await fillEventLog(pool, { accountId, events, progress })
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

/**
 * Changes `MATCHES` evenly distributed devices so that the values in `matching` match them. Makes these devices
 * inactive, and all other devices active.
 */
async function markMatches(pool: pg.Pool, accountId: string): Promise<void> {
  const { rowCount } = await pool.query(`select from device where account_id = $1 and attributes @> $2 limit 1`, [
    accountId,
    { lot: matching.lot },
  ])
  if (rowCount === 1) return
  const chosen = `
    select id from (select id, row_number() over (order by id) as number, count(*) over () / ${MATCHES} as step
      from device where account_id = $1) as numbered
    where number % step = 0 limit ${MATCHES}`
  await pool.query(
    `update device set attributes = attributes || $2, name = name || $3 where account_id = $1 and id in (${chosen})`,
    [accountId, { lot: matching.lot }, ` ${matching.commonPart} ${matching.namePart}`],
  )
  await pool.query(
    `update device_live as live set state = case when marked.id is null then 'active' else 'inactive' end,
      status_a = case when marked.id is null then live.status_a else $2 end
    from device left join (${chosen}) as marked using (id)
    where device.account_id = $1 and live.account_id = $1 and live.device_id = device.id
      and (marked.id is not null or live.state = 'inactive')`,
    [accountId, matching.status],
  )
  await pool.query('vacuum full device_live')
}
