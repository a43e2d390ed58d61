import { join } from 'node:path'
import type { Database } from '@muster/server/db/database.ts'
import type { Installation } from '../installation/migrate-and-set-up.ts'
import { addUser, credentialsFileName } from '../users/add-user.ts'
import { seedFleet, vacuumFleetTables } from './seed-fleet.ts'

export interface SeededFleet {
  email: string
  added: number
  /** Path of the new user's credentials file. Undefined if the user already existed. */
  credentials?: string
}

interface SeedOptions {
  users: number
  devices: number
  services: number
  onProgress: (devices: number) => void
}

export async function seedFleets(
  installation: Installation,
  { users, devices, services, onProgress }: SeedOptions,
): Promise<SeededFleet[]> {
  const fleets: SeededFleet[] = []
  let done = 0
  const advance = (count: number): void => {
    done += count
    onProgress(done)
  }
  for (let number = 1; number <= users; number++) {
    const { accountId, ...user } = await userOfFleet(installation, number)
    const fleet = { accountId, name: `fleet ${number}`, devices, services }
    fleets.push({ ...user, added: await seedFleet(installation.pool, fleet, advance) })
  }
  await vacuumFleetTables(installation.pool)
  return fleets
}

interface FleetUser {
  accountId: string
  email: string
  credentials?: string
}

/** For fleet 1, returns the installation's first user. For another fleet, returns the fleet's user or creates one. */
async function userOfFleet(installation: Installation, number: number): Promise<FleetUser> {
  const { db, config } = installation
  if (number === 1) return findOwner(db)
  const email = `fleet-${number}@example.com`
  const found = await db.selectFrom('account').select('id').where('email', '=', email).executeTakeFirst()
  if (found !== undefined) return { accountId: found.id, email }
  const file = join(config.dataFolder, credentialsFileName(email))
  const added = await addUser(installation, { email, name: `Fleet ${number}`, accessKeyName: 'muster seed', file })
  return { accountId: added.id, email, credentials: file }
}

async function findOwner(db: Database): Promise<FleetUser> {
  const { id, email } = await db
    .selectFrom('account')
    .select(['id', 'email'])
    .orderBy('created')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { accountId: id, email }
}
