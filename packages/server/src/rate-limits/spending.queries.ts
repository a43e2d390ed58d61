import { type Database, query } from '../db/database.ts'

/** NOTIFY channel; the payload is the spending of one process, in the format of `exchange.ts`. */
export const spendingChannel = 'muster_spending'

export const notifySpending = (db: Database, payloads: readonly string[]) =>
  query(db, `select pg_notify('${spendingChannel}', payload) from unnest($1::text[]) as payload`, [payloads])
