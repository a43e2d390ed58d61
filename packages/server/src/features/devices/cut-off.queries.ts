import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** NOTIFY channel; the payload is the id of a device that is gone or whose secret is another. */
export const deviceChannel = 'muster_device'

/** Heard by every server process once the transaction has committed: connections of these devices end. */
export async function cutOffDevices(db: Database, ids: readonly string[]): Promise<void> {
  await sql`select pg_notify(${deviceChannel}, id) from unnest(${ids}::text[]) as id`.execute(db)
}

/** Which of these devices are gone or have another secret by now. */
export async function findOtherSecrets(
  db: Database,
  devices: readonly { deviceId: string; secretHash: Buffer }[],
): Promise<string[]> {
  const ids = devices.map(({ deviceId }) => deviceId)
  const hashes = devices.map(({ secretHash }) => secretHash)
  const { rows } = await sql<{ id: string }>`
    select w.id from unnest(${ids}::text[], ${hashes}::bytea[]) as w (id, hash)
    where not exists (select from device d where d.id = w.id and d.secret_hash is not null and d.secret_hash = w.hash)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
