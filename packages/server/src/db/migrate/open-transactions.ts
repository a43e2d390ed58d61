import { sql } from 'kysely'
import type { Database } from '../database.ts'

interface OpenTransaction {
  pid: number
  program: string
  since: Date
}

/** PostgreSQL shows a transaction's start time only to members of the role that runs it or of pg_read_all_stats. */
interface UnseenTransaction {
  pid: number
  program: string
  role: string | null
}

export interface OpenTransactions {
  /** Up to three transactions that have been open for more than a second, oldest first. */
  open: OpenTransaction[]
  /** Present if other roles have open transactions whose start times this role cannot see. */
  unseen?: { count: number; some: UnseenTransaction[]; toSeeThem: string }
}

const MAX_SHOWN = 3

/** Finds the transactions that may delay a migration while it creates an index concurrently or waits for a lock. */
export async function findOpenTransactions(db: Database): Promise<OpenTransactions> {
  const open = await selectOldest(db)
  const unseen = await selectUnseen(db)
  if (unseen.length === 0) return { open }
  const toSeeThem = 'grant pg_read_all_stats to the role that the server connects as'
  return { open, unseen: { count: unseen.length, some: unseen.slice(0, MAX_SHOWN), toSeeThem } }
}

async function selectOldest(db: Database): Promise<OpenTransaction[]> {
  const { rows } = await sql<OpenTransaction>`
    select pid, application_name as program, xact_start as since from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '1 second'
    order by xact_start limit ${MAX_SHOWN}`.execute(db)
  return rows
}

/**
 * Finds other roles' transactions by their locks. In pg_stat_activity, most columns of another role's session are null,
 * including `state`. However, the session's locks are visible, and every transaction holds a lock on its own virtual
 * transaction ID.
 */
async function selectUnseen(db: Database): Promise<UnseenTransaction[]> {
  const { rows } = await sql<UnseenTransaction>`
    select pid, application_name as program, usename as role from pg_stat_activity as session
    where datname = current_database() and state is null
      and exists (select from pg_locks as held where held.pid = session.pid and held.locktype = 'virtualxid' and held.granted)
    order by pid`.execute(db)
  return rows
}
