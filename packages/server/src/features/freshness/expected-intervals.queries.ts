import { type Database, query } from '../../db/database.ts'

export interface IntervalRow {
  name: string
  seconds: number
}

export const selectIntervals = (db: Database, accountId: string, names: readonly string[]) =>
  query<IntervalRow>(db, 'select name, seconds from freshness where account_id = $1 and name = any($2::text[])', [
    accountId,
    names,
  ])

export const selectAllIntervals = (db: Database, accountId: string) =>
  query<IntervalRow>(db, 'select name, seconds from freshness where account_id = $1 order by name', [accountId])

export const upsertInterval = (db: Database, accountId: string, { name, seconds }: IntervalRow) =>
  query(
    db,
    `insert into freshness (account_id, name, seconds) values ($1, $2, $3)
     on conflict (account_id, name) do update set seconds = excluded.seconds`,
    [accountId, name, seconds],
  )

export const deleteInterval = (db: Database, accountId: string, name: string) =>
  query(db, 'delete from freshness where account_id = $1 and name = $2', [accountId, name])
