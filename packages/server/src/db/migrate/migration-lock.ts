import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { withSessionLock } from '../pool/session-lock.ts'
import { LOG_INTERVAL_MS, type MigrationLog } from './log.ts'
import { findRunningMigration } from './progress.ts'

const LOCK = 'muster migrations'

interface Options {
  db: Database
  log: MigrationLog
  signal: AbortSignal
}

/** Runs `work` while holding the migration lock. While waiting for the lock, logs which session holds it. */
export function withMigrationLock<Result>(
  { db, log, signal }: Options,
  work: (connection: Database) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    let loggedAt = Number.NEGATIVE_INFINITY
    const onWait = async (): Promise<void> => {
      if (performance.now() - loggedAt < LOG_INTERVAL_MS) return
      loggedAt = performance.now()
      const runner = await findRunner(connection)
      const running = await findRunningMigration(connection)
      const details = { migration: running?.migration, step: running?.what, session: runner }
      log.warn(details, 'waiting for another process to finish migrating the database or distributing its tables')
    }
    const prepareAndWork = async (): Promise<Result> => {
      await detectLostClient(connection)
      await createTables(connection)
      return work(connection)
    }
    return withSessionLock(connection, LOCK, prepareAndWork, { signal, onWait })
  })
}

/** Some systems support only some of these settings, so each one is set separately. */
const connectionChecks = {
  client_connection_check_interval: '1s',
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '10s',
}

/** Makes PostgreSQL cancel the statement of a lost client. Otherwise, the next server would have to wait for it. */
async function detectLostClient(connection: Database): Promise<void> {
  for (const [setting, value] of Object.entries(connectionChecks)) {
    const set = sql.raw(`set ${setting} = '${value}'`).execute(connection)
    await set.catch(() => {})
  }
}

/** The migrator of older releases expects the name and columns of the first table. */
async function createTables(connection: Database): Promise<void> {
  await sql`
    create table if not exists migration (name varchar(255) primary key, "timestamp" varchar(255) not null)`.execute(
    connection,
  )
  await sql`alter table migration add column if not exists needs varchar(255)`.execute(connection)
  await sql`
    create table if not exists migration_progress (
      migration text collate "C" primary key,
      step integer not null,
      what text collate "C" not null,
      after text collate "C"
    )`.execute(connection)
}

interface Runner {
  pid: number
  address: string | null
  since: Date
  /** The progress of the session's index build, or null if there is no build or its phase does not process blocks. */
  percent: number | null
}

/** Returns the session that holds the lock, or undefined if the session has just released the lock. */
async function findRunner(db: Database): Promise<Runner | undefined> {
  const { rows } = await sql<Runner>`
    select activity.pid, host(client_addr) as address, backend_start as since,
      (select round(100.0 * blocks_done / nullif(blocks_total, 0))::float8 from pg_stat_progress_create_index as making
        where making.pid = activity.pid) as percent
    from pg_locks join pg_stat_activity as activity using (pid)
    where locktype = 'advisory' and granted and objid::bigint = hashtext(${LOCK})::bigint & 4294967295
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return rows[0]
}
