import { type Database, query } from '../../db/database.ts'

/** Assigns the next event numbers. */
export async function selectNextIds(db: Database, count: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `select nextval('event_id')::text as id from generate_series(1, $1::int)`,
    [count],
  )
  return rows.map(({ id }) => id)
}
