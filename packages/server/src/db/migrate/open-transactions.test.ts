import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { createDataFolder } from '../../../test/database/data-folder.ts'
import { createDatabase } from '../database.ts'
import { clusterFolderOf } from '../embedded/cluster/cluster-folder.ts'
import { type Embedded, startEmbedded } from '../embedded/embedded.ts'
import { migrate } from '../migrate.ts'
import { type Migration, readMigrations, releaseFolder } from '../migration.ts'
import { createPool } from '../pool/create-pool.ts'

async function startDatabase(): Promise<Embedded> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-roles-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  await createDataFolder(folder)
  await appendFile(join(clusterFolderOf(folder), 'pg_hba.conf'), 'local all postgres trust\n')
  const log = { info() {}, warn() {}, error() {} }
  const settings = { fsync: 'off', autovacuum: 'off' }
  const embedded = await startEmbedded({ dataFolder: folder, log, onExit() {}, settings })
  onTestFinished(embedded.stop)
  return embedded
}

it("reports another role's transaction that blocks a migration, without its start time", async () => {
  const { connection } = await startDatabase()
  const db = createDatabase(createPool({ connection, size: 4, statementTimeout: 0 }))
  onTestFinished(() => db.destroy())
  await migrate(db)
  const asOther = async (program: string): Promise<pg.Client> => {
    const client = new pg.Client({ ...connection, user: 'postgres', application_name: program })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  await asOther('idle')
  const report = await asOther('report')
  await report.query('begin; select from device')
  const { rows } = await report.query<{ pid: number }>('select pg_backend_pid() as pid')

  const column: Migration = {
    name: '0102_column',
    needs: null,
    steps: [
      { change: 'column', run: async (db) => void (await sql`alter table device add column x text`.execute(db)) },
    ],
  }
  const migrations = [...(await readMigrations(releaseFolder)), column]
  const warned = Promise.withResolvers<object>()
  const migrated = migrate(db, { migrations, log: { info() {}, warn: warned.resolve } })
  expect(await warned.promise).toMatchObject({
    open: [],
    unseen: {
      count: 1,
      some: [{ pid: rows[0]!.pid, program: 'report', role: 'postgres' }],
      toSeeThem: expect.stringContaining('pg_read_all_stats'),
    },
  })
  await report.query('commit')
  expect(await migrated).toEqual(['0102_column'])
})
