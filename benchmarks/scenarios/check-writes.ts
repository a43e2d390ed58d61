import type { Environment } from '../environment/run-operation.ts'
import type { LoadResult } from '../load/load.ts'

interface LogState {
  lastEventId: string
  deadlocks: number
}

/**
 * Prepares a check of a run of writes. The returned function throws if an acknowledged change has no event, or if a
 * deadlock occurred. It also throws if a stored value differs from the value in its newest event.
 */
export async function startWriteCheck({ pool, fleet }: Environment): Promise<(result: LoadResult) => Promise<void>> {
  // Remove the dead rows of earlier runs, which would slow down this run.
  await pool.query('vacuum device')
  const readState = async (): Promise<LogState> => {
    const { rows } = await pool.query<LogState>(
      `select coalesce(max(id), 0)::text as "lastEventId",
         (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks
       from event where account_id = $1`,
      [fleet.accountId],
    )
    return rows[0]!
  }
  const before = await readState()
  return async ({ succeeded }) => {
    const { rows } = await pool.query<{ events: number; lost: number }>(newestValues, [
      fleet.accountId,
      before.lastEventId,
    ])
    const { events, lost } = rows[0]!
    if (events < succeeded)
      throw new Error(`The event log contains only ${events} of the ${succeeded} acknowledged changes.`)
    if (lost > 0) throw new Error(`Attributes whose value differs from the value in their newest event: ${lost}.`)
    if ((await readState()).deadlocks > before.deadlocks) throw new Error('A deadlock occurred in the database.')
  }
}

/**
 * A single statement reads both `event` and `device`. If a write is still in flight, the statement therefore sees the
 * write's changes in both tables or in neither.
 */
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
