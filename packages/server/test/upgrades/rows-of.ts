import { type Kysely, sql } from 'kysely'

/** The columns and rows of each table, except the tables that record the migrations. */
export type Contents = ReadonlyMap<string, { columns: readonly string[]; rows: readonly string[] }>

interface Table {
  name: string
  columns: string[]
}

const migrationTables = sql`('migration', 'migration_lock', 'migration_progress')`

export async function contentsOf(db: Kysely<unknown>): Promise<Contents> {
  const { rows: tables } = await sql<Table>`
    select relname as name, array_agg(attname::text order by attname) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not in ${migrationTables}
    group by relname`.execute(db)
  const contents = new Map<string, { columns: readonly string[]; rows: readonly string[] }>()
  for (const { name, columns } of tables) contents.set(name, { columns, rows: await rowsOf(db, { name, columns }) })
  return contents
}

async function rowsOf(db: Kysely<unknown>, { name, columns }: Table): Promise<string[]> {
  const list = sql.join(columns.map((column) => sql.ref(column)))
  const { rows } = await sql<{ row: string }>`
    select row_to_json(kept)::text as row from (select ${list} from ${sql.table(name)}) as kept order by 1`.execute(db)
  return rows.map(({ row }) => row)
}

/** Returns the rows from `before` that are missing now. Compares all columns in `before` except those in `changed`. */
export async function missingRows(
  db: Kysely<unknown>,
  before: Contents,
  changed: readonly string[],
): Promise<string[]> {
  const missing: string[] = []
  for (const [name, { columns, rows }] of before) {
    const kept = columns.filter((column) => !changed.includes(`${name}.${column}`))
    const current = new Set(await rowsOf(db, { name, columns: kept }))
    for (const row of rows.map((text) => only(kept, text))) if (!current.has(row)) missing.push(`${name}: ${row}`)
  }
  return missing
}

function only(columns: readonly string[], text: string): string {
  const row = JSON.parse(text)
  return Object.keys(row).length === columns.length
    ? text
    : JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))
}
