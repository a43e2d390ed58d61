import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'

/** Returns every row of every table, including the tables of the job queue, as text, keyed by table. */
export async function dumpTables(db: Database): Promise<Map<string, string>> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select schemaname as schema, tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2`.execute(db)
  const dump = new Map<string, string>()
  for (const { schema, name } of tables) {
    const { rows } = await sql<{ text: string }>`
      select (whole.*)::text as text from ${sql.table(`${schema}.${name}`)} as whole`.execute(db)
    dump.set(name, rows.map(({ text }) => text).join('\n'))
  }
  return dump
}
