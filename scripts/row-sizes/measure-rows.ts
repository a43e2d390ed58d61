import type pg from 'pg'

export interface RowSize {
  name: string
  rows: number
  /** The average size of a row in the table. */
  bytes: number
  /** The average size of a row's index entries. */
  indexBytes: number
}

const EVENTS_PER_DEVICE = 10

const addEvents = `
  insert into event (account_id, type, device_id, actor_id, targets, state, data)
  select account_id, case when nr % 2 = 0 then 'DEVICE_STATE' else 'ATTRIBUTE_CHANGE' end, id,
    case when nr % 2 = 1 then account_id end,
    jsonb_build_array(jsonb_build_object('id', id, 'name', name, 'kind', 'device')),
    case when nr % 2 = 0 then 'active' end,
    case when nr % 2 = 0 then jsonb_build_object('address', '203.0.113.' || nr) else jsonb_build_object('context', null,
      'changes', jsonb_build_object('firmware', jsonb_build_object('old', '4.2.' || nr, 'new', '4.2.' || nr + 1))) end
  from generate_series(1, ${EVENTS_PER_DEVICE}) as nr, device order by nr, id`

const addHolds = `
  insert into device_hold (account_id, device_id, process_id)
  select account_id, id, gen_random_uuid()::text from device on conflict do nothing`

const sizes = `
  select relname as name, sum(reltuples)::float8 as rows, sum(pg_table_size(leaf.oid))::float8 as bytes,
    sum(pg_indexes_size(leaf.oid))::float8 as "indexBytes"
  from (
    select class.relname, part.oid, part.reltuples from pg_class as class
    cross join lateral (select coalesce(relid, class.oid::regclass) as relid from pg_partition_tree(class.oid) where isleaf
      union select class.oid::regclass where class.relkind = 'r') as tree
    join pg_class as part on part.oid = tree.relid
    where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
  ) as leaf group by relname having sum(reltuples) > 0 order by 1`

/** Adds events and a `device_hold` row for each device, as in a connected fleet. Then measures each table's rows. */
export async function measureRows(client: pg.ClientBase): Promise<RowSize[]> {
  await client.query(addEvents)
  await client.query(addHolds)
  await client.query('vacuum analyze')
  const { rows } = await client.query<RowSize>(sizes)
  return rows.map(({ name, rows: count, bytes, indexBytes }) => ({
    name,
    rows: count,
    bytes: Math.round(bytes / count),
    indexBytes: Math.round(indexBytes / count),
  }))
}
