import { sql } from 'kysely'
import type { Clocks } from './clocks.ts'
import type { Database } from './database.ts'

const MONTHS_AHEAD = 3

export async function createEventPartitions(db: Database, now: Date): Promise<void> {
  for (let month = 0; month <= MONTHS_AHEAD; month++) {
    await createEventPartition(db, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, 1)))
  }
}

/**
 * Creates the partitions for the current month and the next three months, both by the database's clock and by this
 * machine's clock. The database's clock determines an event's partition. If that clock is wrong and is corrected, it
 * usually shows this machine's time afterward.
 */
export async function createPartitionsByBothClocks(db: Database, { here, database }: Clocks): Promise<void> {
  for (const now of [database, here]) await createEventPartitions(db, now)
}

/**
 * The maximum time to wait for a lock before a partition is dropped. It is short, because later statements on the event
 * log wait behind the statement that drops the partition.
 */
const LOCK_TIMEOUT = '2s'

/** Drops the partitions for months that ended at or before `before`, and returns their names. */
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

/** Returns the end of a partition's month, or the latest possible date for a partition that Muster did not create. */
function endOf(name: string): Date {
  const [, year, month] = /^event_(\d{4})_(\d{2})$/.exec(name) ?? []
  return new Date(year === undefined ? 8.64e15 : Date.UTC(Number(year), Number(month), 1))
}

/** Creates the partition for the month that begins at `first`, if it is missing. */
export async function createEventPartition(db: Database, first: Date): Promise<void> {
  const next = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1))
  const name = `event_${first.toISOString().slice(0, 7).replace('-', '_')}`
  if (await isPartition(db, name)) return
  await db.transaction().execute(async (transaction) => {
    // Without this lock, even `create table if not exists` can fail if two servers create the table at the same time.
    await sql`select pg_advisory_xact_lock(hashtext('muster event partitions'))`.execute(transaction)
    if (await isPartition(transaction, name)) return
    // A single `create table … partition of` would lock the event log exclusively and wait for its readers.
    await sql.raw(`create table "${name}" (like event including defaults)`).execute(transaction)
    await sql
      .raw(
        `alter table event attach partition "${name}"
         for values from ('${first.toISOString()}') to ('${next.toISOString()}')`,
      )
      .execute(transaction)
  })
}

/** Reads the catalog directly, because `to_regclass` may return an outdated result within a transaction. */
async function isPartition(db: Database, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'event'::regclass and child.relname = ${name}`.execute(db)
  return rows.length > 0
}
