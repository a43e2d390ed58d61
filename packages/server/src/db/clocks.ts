import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The time by the clock of this machine and by that of the database, which may be another machine's. */
export interface Clocks {
  here: Date
  database: Date
}

export async function readClocks(db: Database, here: Date): Promise<Clocks> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return { here, database: rows[0]!.now }
}

/**
 * What is deleted by its age is so old by both clocks: with one that has jumped ahead it would be gone, though it is young again
 * once that clock is set right.
 */
export const earlierOf = ({ here, database }: Clocks): Date => (here < database ? here : database)

const DAY_MS = 86_400_000

export const areFarApart = ({ here, database }: Clocks): boolean =>
  Math.abs(here.getTime() - database.getTime()) > DAY_MS
