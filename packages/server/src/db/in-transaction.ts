import type { Database } from './database.ts'

/** Runs `work` in the transaction that `db` is, or in a new one. */
export const inTransaction = <Result>(
  db: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> => (db.isTransaction ? work(db) : db.transaction().execute(work))
