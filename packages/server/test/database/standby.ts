import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { clusterFolderOf } from '../../src/db/embedded/cluster/cluster-folder.ts'
import { type Embedded, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { createDataFolder } from './data-folder.ts'

/** A PostgreSQL server with a migrated database that has no accounts, and a standby that streams from this server. */
export interface PrimaryAndStandby {
  url: string
  standbyUrl: string
  onStandby<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>
  stopStandby(): Promise<void>
  startStandby(): Promise<void>
  close(): Promise<void>
}

const common = { fsync: 'off', wal_level: 'replica', max_wal_senders: '4', wal_keep_size: '64MB' }

export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-pair-'))
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  await createDataFolder(first)
  await appendFile(join(clusterFolderOf(first), 'pg_hba.conf'), 'local all,replication postgres trust\n')
  // Start the primary once with wal_level = replica, because the standby starts with a copy of the primary's files.
  await (await start(first, common)).stop()
  await promisify(execFile)('cp', ['-Rp', first, second])
  await writeFile(join(clusterFolderOf(second), 'standby.signal'), '')

  const primary = await start(first, common)
  const upstream = `host=${clusterFolderOf(first)} port=5432 user=postgres`
  const startStandby = (): Promise<Embedded> =>
    // Delay commits on the standby, so that they become visible there only after their acknowledgment.
    start(second, { ...common, primary_conninfo: upstream, recovery_min_apply_delay: '10ms' })
  let standby: Embedded | undefined = await startStandby()

  return {
    url: urlOf(first),
    standbyUrl: urlOf(second),
    async onStandby<Row extends pg.QueryResultRow>(statement: string) {
      const client = new pg.Client({ ...standby!.connection, user: 'postgres' })
      await client.connect()
      try {
        return (await client.query<Row>(statement)).rows
      } finally {
        await client.end()
      }
    },
    async stopStandby() {
      await standby?.stop()
      standby = undefined
    },
    async startStandby() {
      standby = await startStandby()
    },
    async close() {
      await standby?.stop()
      await primary.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

const start = (dataFolder: string, settings: Record<string, string>): Promise<Embedded> =>
  startEmbedded({ dataFolder, log: { info() {}, warn() {}, error() {} }, onExit() {}, settings })

const urlOf = (dataFolder: string): string =>
  `postgresql:///muster?host=${encodeURIComponent(clusterFolderOf(dataFolder))}&port=5432&user=muster`
