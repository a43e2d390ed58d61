import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'

export interface PresentedSecret {
  deviceId: string
  secretHash: Buffer
  /** Undefined while the device is authenticating. */
  device?: { viewer: { accountId: string } } | undefined
}

/**
 * Returns the presented secrets that are no longer valid. A secret is invalid if it was replaced or revoked, if its
 * device was deleted, or if the account is disabled. The secret of an authenticated device is also invalid if the
 * device was moved to another account.
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
