import { type Database, query } from '../db/database.ts'

/** NOTIFY channel; the payload is what one process let through, as `exchange.ts` writes it. */
export const spendingChannel = 'muster_spending'

export const notifySpending = (db: Database, payloads: readonly string[]) =>
  query(db, `select pg_notify('${spendingChannel}', payload) from unnest($1::text[]) as payload`, [payloads])
