import { type Database, query } from '../../db/database.ts'

export interface NextIds {
  ids: string[]
  time: Date
}

export async function selectNextIds(db: Database, count: number): Promise<NextIds> {
  const [row] = await query<NextIds>(
    db,
    `select array(select nextval('event_id')::text from generate_series(1, $1::int)) as ids, statement_timestamp() as time`,
    [count],
  )
  return row!
}
