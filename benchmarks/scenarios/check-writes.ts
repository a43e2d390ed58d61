import type { Ground } from '../environment/environment.ts'
import type { LoadResult } from '../load/load.ts'

interface Log {
  last: string
  deadlocks: number
}

/**
 * Before a run of writes; what it returns throws when a change that was acknowledged has no event, when a value is not the one
 * that its newest event tells of, or when there was a deadlock.
 */
export async function startWatching({ pool, fleet }: Ground): Promise<(result: LoadResult) => Promise<void>> {
  // What earlier runs left behind is nothing to this one.
  await pool.query('vacuum device')
  const look = async (): Promise<Log> => {
    const { rows } = await pool.query<Log>(
      `select coalesce(max(id), 0)::text as last,
         (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks
       from event where account_id = $1`,
      [fleet.accountId],
    )
    return rows[0]!
  }
  const before = await look()
  return async ({ answered }) => {
    const { rows } = await pool.query<{ events: number; lost: number }>(newestValues, [fleet.accountId, before.last])
    const { events, lost } = rows[0]!
    if (events < answered) throw new Error(`${answered} changes were acknowledged, but ${events} have an event`)
    if (lost > 0) throw new Error(`${lost} values are not those of their newest events`)
    if ((await look()).deadlocks > before.deadlocks) throw new Error('there was a deadlock')
  }
}

/** Whatever was still under way when the load ended is in both or in neither. */
const newestValues = `
  with change as (
    select id, device_id, name, entry ->> 'new' as value
    from event, jsonb_each(data -> 'changes') as changes (name, entry)
    where account_id = $1 and id > $2::bigint and type = 'ATTRIBUTE_CHANGE'
  ), newest as (
    select distinct on (device_id, name) device_id, name, value from change order by device_id, name, id desc
  )
  select (select count(*)::int from change) as events, count(*)::int as lost
  from newest join device d on d.account_id = $1 and d.id = newest.device_id
  where d.attributes ->> newest.name is distinct from newest.value`
