import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The current time on this machine (`here`) and on the database server, which may be another machine. */
export interface Clocks {
  here: Date
  database: Date
}

export async function readClocks(db: Database, here: Date): Promise<Clocks> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return { here, database: rows[0]!.now }
}

/** Returns the earlier time, because a clock that runs ahead would cause the server to delete records too early. */
export const earlierOf = ({ here, database }: Clocks): Date => (here < database ? here : database)

const DAY_MS = 86_400_000

export const areFarApart = ({ here, database }: Clocks): boolean =>
  Math.abs(here.getTime() - database.getTime()) > DAY_MS
