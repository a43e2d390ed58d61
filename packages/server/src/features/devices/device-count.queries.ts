import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** The number of an account's devices, as a scalar expression of a statement. */
export const deviceCount = (accountId: string): RawBuilder<unknown> =>
  sql`(select coalesce(sum(devices), 0) from device_count where account_id = ${accountId})::int`

/** Accounts whose count is in more than one row. */
export async function selectAccountsToSum(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from device_count group by account_id having count(*) > 1`.execute(db)
  return rows.map(({ id }) => id)
}

/** Merges the rows of an account into one. Concurrent merges skip locked rows, so none waits, and the sum stays the same. */
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
