import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * Tables of which a user may have very many rows, each with the columns that identify a row within the account. Rows of
 * other tables are few, and are deleted with the account or with the device that they belong to.
 */
const identifiedBy = {
  webhook_delivery: ['webhook_id', 'id'],
  attribute_override: ['target_id', 'context'],
  device: ['id'],
  device_count: ['id'],
  event: ['id'],
} as const

export type Owned = keyof typeof identifiedBy

/** In the order in which they are deleted. */
export const ownedInOrder = Object.keys(identifiedBy) as Owned[]

const BATCH = 1_000

/** Deletes up to 1000 of the account's rows. Returns how many. */
export async function deleteBatch(db: Database, accountId: string, owned: Owned): Promise<number> {
  const columns = sql.join(identifiedBy[owned].map((column) => sql.ref(column)))
  const { numAffectedRows } = await sql`
    delete from ${sql.table(owned)} where account_id = ${accountId} and (${columns}) in (
      select ${columns} from ${sql.table(owned)} where account_id = ${accountId} order by ${columns} limit ${BATCH})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0n)
}

/** Deletes the account, and by foreign keys everything that refers to it. */
export async function deleteAccount(db: Database, accountId: string): Promise<void> {
  await db.deleteFrom('account').where('id', '=', accountId).execute()
}
