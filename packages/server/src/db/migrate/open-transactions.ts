import { sql } from 'kysely'
import type { Database } from '../database.ts'

interface OpenTransaction {
  pid: number
  program: string
  since: Date
}

/** Since when, PostgreSQL tells those alone who are members of its role. */
interface UnseenTransaction {
  pid: number
  program: string
  role: string | null
}

export interface OpenTransactions {
  /** The oldest. */
  open: OpenTransaction[]
  /** There where other roles have any. */
  unseen?: { count: number; some: UnseenTransaction[]; toSeeThem: string }
}

const SHOWN = 3

/** What an index waits for that is made concurrently, and most likely who holds a lock for long. */
export async function findOpenTransactions(db: Database): Promise<OpenTransactions> {
  const open = await selectOldest(db)
  const unseen = await selectUnseen(db)
  if (unseen.length === 0) return { open }
  const toSeeThem = 'grant pg_read_all_stats to the role of DATABASE_URL'
  return { open, unseen: { count: unseen.length, some: unseen.slice(0, SHOWN), toSeeThem } }
}

async function selectOldest(db: Database): Promise<OpenTransaction[]> {
  const { rows } = await sql<OpenTransaction>`
    select pid, application_name as program, xact_start as since from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '1 second'
    order by xact_start limit ${SHOWN}`.execute(db)
  return rows
}

/** Of a session that is not for this role most is null, its state among it; its locks are shown, and every transaction has one of itself. */
async function selectUnseen(db: Database): Promise<UnseenTransaction[]> {
  const { rows } = await sql<UnseenTransaction>`
    select pid, application_name as program, usename as role from pg_stat_activity as session
    where datname = current_database() and state is null
      and exists (select from pg_locks as held where held.pid = session.pid and held.locktype = 'virtualxid' and held.granted)
    order by pid`.execute(db)
  return rows
}
