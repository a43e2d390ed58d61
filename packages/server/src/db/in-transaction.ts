import type { Database } from './database.ts'

/** Runs `work` in the transaction if `db` is one. Otherwise, begins a new transaction. */
export const inTransaction = <Result>(
  db: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> => (db.isTransaction ? work(db) : db.transaction().execute(work))
