import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

/** A notification's payload is `anyDevice` or the ID of a device that was deleted or moved, or whose secret changed. */
export const deviceChannel = 'muster_device'

/** The payload that makes every process check all its connected devices. */
export const anyDevice = '*'

/**
 * Makes every server process check the given devices after the transaction commits. The processes disconnect the
 * devices that `findInvalidSecrets` returns.
 */
export async function cutOffDevices(db: Database, ids: readonly string[]): Promise<void> {
  await sql`select pg_notify(${deviceChannel}, id) from unnest(${ids}::text[]) as id`.execute(db)
}

/** Makes every server process check all its connected devices after the transaction commits. */
export async function recheckDevices(db: Database): Promise<void> {
  await sql`select pg_notify(${deviceChannel}, ${anyDevice})`.execute(db)
}
