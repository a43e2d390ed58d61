import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

export const SHORT_MINUTES = 5
export const LONG_MINUTES = 60

export async function selectSampledAccounts(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from account
    where exists (select from device_count where account_id = account.id)
      or exists (select from presence_sample where account_id = account.id)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Does nothing if the sample exists or the account has no devices. */
export async function insertSample(db: Database, accountId: string, at: Date): Promise<void> {
  await sql`
    insert into presence_sample (account_id, minutes, at, devices, online, min_online)
    select ${accountId}, ${SHORT_MINUTES}, ${at}, devices, online, online
    from (
      select count(*)::int as devices, (count(*) filter (where state = 'active'))::int as online
      from device_live where account_id = ${accountId}
    ) as counted
    where devices > 0
    on conflict (account_id, minutes, at) do nothing`.execute(db)
}

/** Combines five-minute samples into hourly samples, up to the time `before`, which must be the start of an hour. */
export async function joinSamples(db: Database, accountId: string, before: Date): Promise<void> {
  await sql`
    with joined as (
      delete from presence_sample
      where account_id = ${accountId} and minutes = ${SHORT_MINUTES} and at < ${before}
      returning at, devices, online, min_online
    )
    insert into presence_sample (account_id, minutes, at, devices, online, min_online)
    select ${accountId}, ${LONG_MINUTES}, date_trunc('hour', at, 'UTC'), round(avg(devices)), round(avg(online)), min(min_online)
    from joined group by date_trunc('hour', at, 'UTC')
    on conflict (account_id, minutes, at) do nothing`.execute(db)
}

export async function deleteSamples(db: Database, accountId: string, before: Date): Promise<void> {
  await sql`delete from presence_sample
    where account_id = ${accountId} and minutes = ${LONG_MINUTES} and at < ${before}`.execute(db)
}

export interface PresencePoint {
  at: Date
  devices: number
  online: number
  minOnline: number
}

export async function selectSamples(
  db: Database,
  accountId: string,
  { from, until, minutes }: { from: Date; until: Date; minutes: number },
): Promise<PresencePoint[]> {
  const { rows } = await sql<PresencePoint>`
    select date_bin(make_interval(mins => ${minutes}), at, timestamptz '2000-01-01T00:00:00Z') as at,
      round(avg(devices))::int as devices, round(avg(online))::int as online, min(min_online)::int as "minOnline"
    from presence_sample
    where account_id = ${accountId} and minutes in (${SHORT_MINUTES}, ${LONG_MINUTES})
      and at >= ${from} and at < ${until}
    group by 1 order by 1`.execute(db)
  return rows
}
