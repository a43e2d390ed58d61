import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The time by the clock of this machine (`here`) and by the clock of the database, which may run on another machine. */
export interface Clocks {
  here: Date
  database: Date
}

export async function readClocks(db: Database, here: Date): Promise<Clocks> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return { here, database: rows[0]!.now }
}

/**
 * Records are deleted for their age only if they are old enough by both clocks. Otherwise, a clock that is ahead would delete
 * records that are too recent by the correct time.
 */
export const earlierOf = ({ here, database }: Clocks): Date => (here < database ? here : database)

const DAY_MS = 86_400_000

export const areFarApart = ({ here, database }: Clocks): boolean =>
  Math.abs(here.getTime() - database.getTime()) > DAY_MS
