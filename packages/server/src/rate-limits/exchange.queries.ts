import { type Database, query } from '../db/database.ts'

/** The NOTIFY channel on which processes report their spending. `exchange.ts` defines the payload format. */
export const spendingChannel = 'muster_spending'

export const notifySpending = (db: Database, payloads: readonly string[]) =>
  query(db, `select pg_notify('${spendingChannel}', payload) from unnest($1::text[]) as payload`, [payloads])
