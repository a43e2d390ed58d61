import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { withSessionLock } from '../pool/session-lock.ts'
import { type MigrationLog, TELL_EVERY_MS } from './log.ts'
import { findUnderWay } from './progress.ts'

const LOCK = 'muster migrations'

interface Options {
  db: Database
  log: MigrationLog
  signal: AbortSignal
}

/** Does work on one connection, as the only one in the database who does; tells meanwhile whom it waits for. */
export function withMigrationLock<Result>(
  { db, log, signal }: Options,
  work: (connection: Database) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    let told = Number.NEGATIVE_INFINITY
    const onWait = async (): Promise<void> => {
      if (performance.now() - told < TELL_EVERY_MS) return
      told = performance.now()
      const runner = await findRunner(connection)
      const underWay = await findUnderWay(connection)
      log.warn(
        { ...underWay, by: runner },
        'waiting for another server, which is bringing the database to a newer release',
      )
    }
    const prepared = async (): Promise<Result> => {
      await endSoonWithoutClient(connection)
      await createTables(connection)
      return work(connection)
    }
    return withSessionLock(connection, LOCK, prepared, { signal, onWait })
  })
}

/** Not every system that PostgreSQL runs on has all of them. */
const watchfulness = {
  client_connection_check_interval: '1s',
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '10s',
}

/** Has PostgreSQL notice while a statement runs that nobody waits for its outcome any more, so that the next can begin. */
async function endSoonWithoutClient(connection: Database): Promise<void> {
  for (const [setting, value] of Object.entries(watchfulness)) {
    const set = sql.raw(`set ${setting} = '${value}'`).execute(connection)
    await set.catch(() => {})
  }
}

/** The first under a name and with columns that releases read which ran migrations in another way. */
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
  /** In PostgreSQL. */
  pid: number
  address: string | null
  since: Date
  /** Of an index in the making. */
  percent: number | null
}

/** Who holds the lock; undefined when he has just let go. */
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
