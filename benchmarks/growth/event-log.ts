import type pg from 'pg'

const BATCH_SIZE = 500_000
/** With at least this number of new events, dropping the indexes and creating them after the inserts is faster. */
const INDEX_LATER_FROM = 1_000_000

export interface EventLogOptions {
  accountId: string
  events: number
  progress(text: string): void
}

/**
 * Adds events of the account's devices until the account has `events` events. The times of the new events are evenly
 * spaced in the current month, and the last event has the current time.
 */
export async function fillEventLog(pool: pg.Pool, { accountId, events, progress }: EventLogOptions): Promise<void> {
  const { rows } = await pool.query<{ present: string }>(
    'select count(*) as present from event where account_id = $1',
    [accountId],
  )
  const present = Number(rows[0]!.present)
  if (present >= events) return
  const client = await pool.connect()
  try {
    await client.query('set synchronous_commit = off; set work_mem = 256000')
    const indexes = events - present < INDEX_LATER_FROM ? [] : await dropSecondaryIndexes(client)
    await client.query(`
      create temp table numbered as
      select id, name, row_number() over () as number from device where account_id = '${accountId}'`)
    await client.query('analyze numbered')
    for (let first = present + 1; first <= events; first += BATCH_SIZE) {
      progress(`writing events, ${first - 1} of ${events}`)
      await client.query(insertEvents, [accountId, first, Math.min(events, first + BATCH_SIZE - 1), events])
    }
    progress('creating any dropped indexes again')
    for (const index of indexes) await client.query(index)
    // Move the webhook cursor past the new events, so that the server does not deliver them.
    await client.query('update webhook_cursor set event_id = (select last_value from event_id)')
  } finally {
    client.release(true)
  }
  progress('vacuuming the log')
  await pool.query('vacuum (analyze) event')
}

async function dropSecondaryIndexes(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
    from pg_index where indrelid = 'event'::regclass and not indisprimary`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

const insertEvents = `
  insert into event (account_id, "timestamp", type, device_id, actor_id, targets, data)
  select $1, month.start + (now() - month.start) * (i::float8 / $4), 'ATTRIBUTE_CHANGE', device.id, $1,
    jsonb_build_array(jsonb_build_object('id', device.id, 'name', device.name, 'kind', 'device')),
    jsonb_build_object('context', null, 'changes', jsonb_build_object('load', jsonb_build_object('old', (i - 1)::text, 'new', i::text)))
  from (select date_trunc('month', now()) as start) as month, generate_series($2::bigint, $3::bigint) as i
  join numbered as device on device.number = 1 + i * 7919 % (select max(number) from numbered)`
