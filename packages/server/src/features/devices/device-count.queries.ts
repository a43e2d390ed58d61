import { type RawBuilder, sql } from 'kysely'
import { type Database, query } from '../../db/database.ts'

export const deviceCount = (accountId: string): RawBuilder<unknown> =>
  sql`(select coalesce(sum(devices), 0) from device_count where account_id = ${accountId})::int`

/**
 * This condition is always true. After it is evaluated, the triggers that count devices are disabled until the
 * transaction ends. A transaction that updates the count must evaluate the condition before or while it inserts or
 * deletes devices. Otherwise, the triggers would count the same devices again. The triggers count devices that other
 * SQL adds or removes, such as statements of the previous release. A cluster has no such triggers.
 */
export const isCounted = `set_config('muster.counts_devices', 'on', true) is not null`

/** Call this function before the statement that inserts or deletes the devices, in the same transaction. */
export const changeDeviceCount = (db: Database, accountId: string, change: number) =>
  query(db, `insert into device_count (account_id, devices) select $1, $2::bigint where ${isCounted}`, [
    accountId,
    change,
  ])

export async function selectAccountsToSum(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from device_count group by account_id having count(*) > 1`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Merges the rows of the account in `device_count` into one row, or deletes the rows if their sum is 0. Concurrent
 * calls do not wait for each other, because each call skips locked rows.
 */
export async function sumDeviceCount(db: Database, accountId: string): Promise<void> {
  await sql`
    with free as materialized (
      select id from device_count where account_id = ${accountId} for update skip locked
    ), summed as (
      delete from device_count where account_id = ${accountId} and id in (select id from free) returning devices
    )
    insert into device_count (account_id, devices)
    select ${accountId}, sum(devices) from summed having sum(devices) <> 0`.execute(db)
}
