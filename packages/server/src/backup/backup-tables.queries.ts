import pg from 'pg'

export interface Table {
  name: string
  columns: string[]
  isPartitioned: boolean
  /** The tables that a restore must fill before this one. */
  needs: string[]
  bytes: number
}

/**
 * Returns the tables, each after the tables that it references. Omits these tables:
 *
 * - the tables of migrations
 * - the tables of derived data: device counts and attribute names
 * - unlogged tables, which do not survive a crash either
 */
export async function selectTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname as name, relkind = 'p' as "isPartitioned",
      (select array_agg(attname::text order by attnum) from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select coalesce(array_agg(distinct needed.relname::text), '{}') from pg_constraint
        join pg_class as needed on needed.oid = confrelid
        where conrelid = class.oid and contype = 'f' and confrelid <> class.oid) as needs,
      case relkind when 'p' then (select coalesce(sum(pg_table_size(relid)), 0) from pg_partition_tree(class.oid))
        else pg_table_size(class.oid) end::float8 as bytes
    from pg_class as class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relpersistence = 'p' and relname not in ('migration', 'migration_lock', 'migration_progress', 'device_count',
        'attribute_name', 'attribute_name_summary')
    order by relname`)
  return inReferenceOrder(rows)
}

function inReferenceOrder(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const add = (table: Table): void => {
    if (ordered.includes(table)) return
    for (const needed of tables) if (table.needs.includes(needed.name)) add(needed)
    ordered.push(table)
  }
  for (const table of tables) add(table)
  return ordered
}

/** Returns the names of the migrations that have run, or an empty list if Muster has never used the database. */
export async function selectMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows: found } = await client.query<{ found: boolean }>(`select to_regclass('migration') is not null as found`)
  if (!found[0]?.found) return []
  const { rows } = await client.query<{ name: string }>('select name from migration order by name')
  return rows.map(({ name }) => name)
}

/** Returns the name of the migration that has begun but not finished, or undefined if there is none. */
export async function selectRunningMigration(client: pg.ClientBase): Promise<string | undefined> {
  const { rows: found } = await client.query<{ found: boolean }>(
    `select to_regclass('migration_progress') is not null as found`,
  )
  if (!found[0]?.found) return undefined
  const { rows } = await client.query<{ migration: string }>('select migration from migration_progress')
  return rows[0]?.migration
}

/** Begins a read-only transaction and locks the tables, so their columns cannot change. */
export async function beginSnapshot(client: pg.ClientBase, tables: readonly Table[]): Promise<void> {
  await client.query('begin isolation level repeatable read read only')
  await client.query(textFormatSettings)
  // The first statement that reads takes the snapshot, so the tables must be locked before it.
  await client.query(
    `lock table ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')} in access share mode`,
  )
}

/** Makes the text format of COPY independent of the database's settings. */
export const textFormatSettings = `set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local bytea_output = 'hex'; set local extra_float_digits = 1`

export async function selectMasterKeys(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ value: string }>(
    `select value from server_setting where name in ('master_key_check', 'former_master_key_check') order by name`,
  )
  return rows.map(({ value }) => value)
}

/** Returns the months of the event log's partitions, such as 2026-11. */
export async function selectMonths(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(`
    select replace(substr(child.relname, 7), '_', '-') as month
    from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'event'::regclass and child.relname ~ '^event_[0-9]{4}_[0-9]{2}$' order by 1`)
  return rows.map(({ month }) => month)
}

/**
 * Returns the last value of each sequence. This value can exceed every value in the rows, because transactions that
 * have not committed, or have failed, may have used later values.
 */
export async function selectSequences(client: pg.ClientBase): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(`
    select sequencename as name, coalesce(last_value, 0)::text as last from pg_sequences
    where schemaname = current_schema() order by 1`)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

export function copyOut({ name, columns, isPartitioned }: Table): string {
  const list = columns.map(pg.escapeIdentifier).join(', ')
  // COPY can read a partitioned table only through a query.
  return isPartitioned
    ? `copy (select ${list} from ${pg.escapeIdentifier(name)}) to stdout`
    : `copy ${pg.escapeIdentifier(name)} (${list}) to stdout`
}

export const copyIn = (table: string, columns: readonly string[]): string =>
  `copy ${pg.escapeIdentifier(table)} (${columns.map(pg.escapeIdentifier).join(', ')}) from stdin`

/** Returns the names of the tables that contain rows. Omits the tables in which migrations insert rows. */
export async function selectFilled(client: pg.ClientBase, tables: readonly Table[]): Promise<string[]> {
  const queries = tables
    .filter(({ name }) => !filledByMigrations.includes(name))
    .map(
      // Citus reads the subquery first, so the subquery needs a column and a limit.
      ({ name }) =>
        `select ${pg.escapeLiteral(name)} as name where exists (select 1 from ${pg.escapeIdentifier(name)} limit 1)`,
    )
  if (queries.length === 0) return []
  const { rows } = await client.query<{ name: string }>(queries.join(' union all '))
  return rows.map(({ name }) => name)
}

const filledByMigrations = ['webhook_cursor', 'attribute_times_start']

export async function deleteMigrationRows(client: pg.ClientBase): Promise<void> {
  for (const table of filledByMigrations)
    if (await hasTable(client, table)) await client.query(`delete from ${pg.escapeIdentifier(table)}`)
}

/** The schema of an older backup may not have the table. */
async function hasTable(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [table])
  return rows[0]!.exists
}

/** Counts the devices of each account. Replaces the counts of the triggers, which a cluster does not have. */
export async function countRestoredDevices(client: pg.ClientBase): Promise<void> {
  if (!(await hasTable(client, 'device_count'))) return
  await client.query('delete from device_count')
  await client.query(
    'insert into device_count (account_id, devices) select account_id, count(*) from device group by account_id',
  )
}

/**
 * Makes a sequence continue after a value. A rollback does not undo this change, and only leaves a gap. Citus does not
 * support `alter sequence`, which a rollback would undo.
 */
export async function restartSequence(client: pg.ClientBase, name: string, last: bigint): Promise<void> {
  // The event feed reads the last used number. With two parameters, `setval` marks the value as used.
  await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(name), last])
}

/** Updates the planner's statistics. Otherwise, queries could be slow until autovacuum updates the statistics. */
export async function analyze(client: pg.ClientBase, tables: readonly string[]): Promise<void> {
  await client.query(`analyze ${tables.map(pg.escapeIdentifier).join(', ')}`)
}
