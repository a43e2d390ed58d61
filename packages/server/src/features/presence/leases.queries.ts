import { type Database, query } from '../../db/database.ts'

export const insertLease = (db: Database, id: string, { seconds, release }: { seconds: number; release: string }) =>
  query(
    db,
    `insert into server_process (id, expires, release)
     values ($1, statement_timestamp() + $2 * interval '1 second', $3)`,
    [id, seconds, release],
  )

/** Checks whether a server of the previous release is running. In the lease of such a server, `release` is null. */
export async function hasPreviousRelease(db: Database): Promise<boolean> {
  const rows = await query(
    db,
    'select id from server_process where release is null and expires > statement_timestamp() limit 1',
    [],
  )
  return rows.length > 0
}

/** Makes the lease valid for this many seconds from now. Returns false if the lease has already expired. */
export async function renewLease(db: Database, id: string, seconds: number): Promise<boolean> {
  const rows = await query(
    db,
    `update server_process set expires = statement_timestamp() + $2 * interval '1 second'
     where id = $1 and expires > statement_timestamp() returning id`,
    [id, seconds],
  )
  return rows.length > 0
}

/** Makes a lease expire after this many seconds, if that is earlier than its current expiration. */
export const shortenLease = (db: Database, id: string, seconds: number) =>
  query(
    db,
    `update server_process set expires = least(expires, statement_timestamp() + $2 * interval '1 second') where id = $1`,
    [id, seconds],
  )

/**
 * Prevents other processes from ending this lease before the transaction ends. Returns false if the lease has expired.
 * The transaction may be idle for at most 3 seconds, so that a suspended process cannot keep its locks.
 */
export async function lockOwnLease(db: Database, id: string): Promise<boolean> {
  const rows = await query(
    db,
    `select id, set_config('idle_in_transaction_session_timeout', '3000', true) from server_process
     where id = $1 and expires > clock_timestamp() for key share`,
    [id],
  )
  return rows.length > 0
}

export async function selectValidLeases(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(
    db,
    'select id from server_process where id = any($1::text[]) and expires > statement_timestamp()',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

export const findExpiredLeases = (db: Database) =>
  query<{ id: string }>(db, 'select id from server_process where expires <= statement_timestamp()', [])

/**
 * Locks an expired lease. Returns false if the lease does not exist or has not expired. Also returns false if its
 * process is still writing, or if another process has locked the lease.
 */
export async function lockExpiredLease(db: Database, id: string): Promise<boolean> {
  const rows = await query(
    db,
    'select id from server_process where id = $1 and expires <= clock_timestamp() for update skip locked',
    [id],
  )
  return rows.length > 0
}

/**
 * Processes of the previous release do not record the times of attributes. While such processes have leases, sets the
 * start of the recorded attribute times to the current time. Sets the start once more after their leases are deleted.
 */
export async function moveTimesStart(db: Database): Promise<void> {
  const [processes] = await query<{ areMixed: boolean }>(
    db,
    'select exists (select from server_process where release is null) as "areMixed"',
    [],
  )
  const { areMixed } = processes!
  const rows = await query(db, 'select since from attribute_times_start where is_mixed or $1', [areMixed])
  // A cluster updates `attribute_times_start` on every node, so update the table only if necessary. The update repeats
  // the condition, because another process may have moved the start in the meantime.
  if (rows.length > 0)
    await query(
      db,
      'update attribute_times_start set since = statement_timestamp(), is_mixed = $1 where is_mixed or $1',
      [areMixed],
    )
}

export const deleteLease = (db: Database, id: string) => query(db, 'delete from server_process where id = $1', [id])

/** A notification's payload is the ID of a process, some of whose devices have connected to another process. */
export const takeOverChannel = 'muster_taken_over'

/** On commit, notifies these processes that some of their devices have connected to other processes. */
export const notifyTakenOver = (db: Database, processIds: readonly string[]) =>
  query(db, `select pg_notify('${takeOverChannel}', id) from unnest($1::text[]) as id`, [processIds])
