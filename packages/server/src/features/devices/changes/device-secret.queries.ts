import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

export async function replaceSecret(
  db: Database,
  accountId: string,
  { id, hash, reregisterUntil }: { id: string; hash: Buffer | null; reregisterUntil: Date | null },
): Promise<void> {
  await sql`
    update device set secret_hash = ${hash}, reregister_until = ${reregisterUntil}
    where account_id = ${accountId} and id = ${id}`.execute(db)
}

export interface DeviceOwner {
  accountId: string
  email: string
  secretHash: Buffer
}

/**
 * Finds the owner by device ID alone, because devices do not identify their owner when they authenticate. Returns
 * undefined for an unknown device, a device without a secret, and a device of a disabled account.
 */
export async function findDeviceOwner(db: Database, id: string): Promise<DeviceOwner | undefined> {
  const { rows } = await sql<DeviceOwner>`
    select d.account_id as "accountId", a.email, d.secret_hash as "secretHash"
    from device d join account a on a.id = d.account_id
    where d.id = ${id} and d.secret_hash is not null and a.disabled is null`.execute(db)
  return rows[0]
}

export interface RegisteredHardware {
  id: string
  name: string
  secretHash: Buffer | null
  reregisterUntil: Date | null
}

/** Returns undefined if no device of the account has the hardware ID. */
export async function lockHardwareHolder(
  db: Database,
  accountId: string,
  hardwareId: string,
): Promise<RegisteredHardware | undefined> {
  const { rows } = await sql<RegisteredHardware>`
    select id, name, secret_hash as "secretHash", reregister_until as "reregisterUntil" from device
    where account_id = ${accountId} and hardware_id = ${hardwareId} for no key update`.execute(db)
  return rows[0]
}
