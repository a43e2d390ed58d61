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

export interface PresentedSecret {
  deviceId: string
  secretHash: Buffer
  /** Undefined while the device is authenticating. */
  device?: { viewer: { accountId: string } } | undefined
}

/**
 * Returns the presented secrets that are no longer valid: the device was deleted or moved to another account, the
 * secret was replaced or revoked, or the account is disabled.
 */
export async function findInvalidSecrets<Presented extends PresentedSecret>(
  db: Database,
  presented: readonly Presented[],
): Promise<Presented[]> {
  const { rows } = await sql<PresentedSecret & { accountId: string }>`
    select d.id as "deviceId", d.secret_hash as "secretHash", d.account_id as "accountId" from device d join account a on a.id = d.account_id
    where d.id = any(${presented.map(({ deviceId }) => deviceId)}::text[]) and d.secret_hash is not null
      and a.disabled is null`.execute(db)
  const nameOf = ({ deviceId, secretHash }: PresentedSecret): string => `${deviceId} ${secretHash.toString('hex')}`
  const accounts = new Map(rows.map((row) => [nameOf(row), row.accountId]))
  return presented.filter((each) => {
    const accountId = accounts.get(nameOf(each))
    return accountId === undefined || (each.device !== undefined && each.device.viewer.accountId !== accountId)
  })
}
