import { sql } from 'kysely'
import type { Clocks } from './clocks.ts'
import type { Database } from './database.ts'

const MONTHS_AHEAD = 3

/** Makes the event log's partitions for the month of `now` and those after it, where they are missing. */
export async function createEventPartitions(db: Database, now: Date): Promise<void> {
  for (let month = 0; month <= MONTHS_AHEAD; month++) {
    await createEventPartition(db, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1)))
  }
}

/** An event is put where the database's clock says. That one may be set right, as a rule to what this machine's says. */
export async function createPartitionsByBoth(db: Database, { here, database }: Clocks): Promise<void> {
  for (const now of [database, here]) await createEventPartitions(db, now)
}

/** Waits no longer than this for those who read the log, since everybody else then waits behind. */
const LOCK_TIMEOUT = '2s'

/** Drops the partitions of months that ended before then. Answers their names. */
export async function dropEventPartitions(db: Database, before: Date): Promise<string[]> {
  const partitions = await sql<{ name: string }>`
    select child.relname as name from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'event'::regclass order by child.relname`.execute(db)
  const old = partitions.rows.map(({ name }) => name).filter((name) => endOf(name) <= before)
  for (const name of old) {
    await db.transaction().execute(async (transaction) => {
      await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(transaction)
      await sql.raw(`drop table if exists "${name}"`).execute(transaction)
    })
  }
  return old
}

/** When the month of a partition is over. One of another name is not made here, and never over. */
function endOf(name: string): Date {
  const [, year, month] = /^event_(\d{4})_(\d{2})$/.exec(name) ?? []
  return new Date(year === undefined ? 8.64e15 : Date.UTC(Number(year), Number(month), 1))
}

/** Makes the partition for the month that begins then, where it is missing. */
export async function createEventPartition(db: Database, first: Date): Promise<void> {
  const next = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1))
  const name = `event_${first.toISOString().slice(0, 7).replace('-', '_')}`
  if (await isPartition(db, name)) return
  await db.transaction().execute(async (transaction) => {
    // "if not exists" alone fails when two servers get there at once.
    await sql`select pg_advisory_xact_lock(hashtext('muster event partitions'))`.execute(transaction)
    if (await isPartition(transaction, name)) return
    // Made apart and then attached: `partition of` would lock the log against everybody, and wait for all who read it.
    await sql.raw(`create table "${name}" (like event including defaults)`).execute(transaction)
    await sql
      .raw(
        `alter table event attach partition "${name}"
         for values from ('${first.toISOString()}') to ('${next.toISOString()}')`,
      )
      .execute(transaction)
  })
}

/** Read from the catalog: within a transaction `to_regclass` may remember that there was no such table. */
async function isPartition(db: Database, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'event'::regclass and child.relname = ${name}`.execute(db)
  return rows.length > 0
}
