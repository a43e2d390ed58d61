import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasProgram } from '../../../../examples/test/programs.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { type TestUser, testUser } from '../harness/app.ts'
import { readCredentials, type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { unlimited } from '../harness/unlimited.ts'
import { pgbouncer, startPooler } from './pooler.ts'

export interface TwoServers {
  db: TestDatabase['db']
  servers: [ServerProcess, ServerProcess]
  owners: [TestUser, TestUser]
  end(): Promise<void>
}

/** A quota that is never used up and refills slowly, so that the remaining quota shows the cost of all requests. */
export const POINTS = 1_000_000

/** Starts two servers. If PgBouncer is installed, the second server connects to the database through PgBouncer. */
export async function startTwoServers(): Promise<TwoServers> {
  const ends: (() => Promise<void>)[] = []
  const atEnd = (end: () => Promise<void>): void => void ends.push(end)
  const end = async (): Promise<void> => {
    for (const each of ends.reverse()) await each()
  }
  try {
    const database = await createTestDatabase()
    atEnd(database.drop)
    const folder = await mkdtemp(join(tmpdir(), 'muster-two-servers-'))
    atEnd(() => rm(folder, { recursive: true }))
    const env = {
      ...unlimited,
      MUSTER_KEY_POINTS: String(POINTS),
      MUSTER_KEY_POINTS_PER_SECOND: '1',
      MUSTER_DATA: folder,
      MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
      MUSTER_PRESENCE_HOLD: '1',
      MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8',
    }
    const direct = { DATABASE_URL: database.url }
    const pooled = async () => ({ DATABASE_URL: await startPooler(database, atEnd), DATABASE_DIRECT_URL: database.url })
    const databaseSettings = [direct, hasProgram(pgbouncer) ? await pooled() : direct]
    const [first, second] = await Promise.all(
      databaseSettings.map((settings) => startServerProcess({ ...env, ...settings }, atEnd)),
    )
    const credentials = await readCredentials(folder)
    const owner = {
      accountId: '',
      email: credentials.MUSTER_EMAIL!,
      keyId: credentials.MUSTER_ACCESS_KEY_ID!,
      secret: credentials.MUSTER_SECRET_ACCESS_KEY!,
    }
    const owners: TwoServers['owners'] = [testUser(first!.url, owner), testUser(second!.url, owner)]
    return { db: database.db, servers: [first!, second!], owners, end }
  } catch (error) {
    await end()
    throw error
  }
}
