import type { Database } from '../../db/database.ts'
import type { Secrets } from '../secrets.ts'
import { signInSecret } from './sign-in/sign-in-secret.ts'
import { lockTotp, type TotpRow, writeTotp } from './totp.queries.ts'

/** Re-encrypts the data of authenticator apps under the current master key. Returns the number of changed rows. */
export async function reencryptTotp(transaction: Database, secrets: Secrets): Promise<number> {
  const rows = await lockTotp(transaction)
  if (rows.length === 0) return 0
  const [current = '', ...others] = secrets.all.map(signInSecret)
  let count = 0
  for (const row of rows) {
    const written = {
      personId: row.personId,
      secret: await reencrypt(row.secret, current, others),
      backupCodes: await reencrypt(row.backupCodes, current, others),
    }
    if (isSame(row, written)) continue
    await writeTotp(transaction, written)
    count++
  }
  return count
}

/** Encrypts data with the current secret, unless that secret already decrypts the data or no available secret does. */
async function reencrypt(text: string, current: string, others: readonly string[]): Promise<string> {
  // better-auth is imported on first use, because it takes time and memory to load.
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  const open = (key: string): Promise<string | undefined> =>
    symmetricDecrypt({ key, data: text }).catch(() => undefined)
  if ((await open(current)) !== undefined) return text
  for (const other of others) {
    const data = await open(other)
    if (data !== undefined) return symmetricEncrypt({ key: current, data })
  }
  return text
}

const isSame = (one: TotpRow, other: TotpRow): boolean =>
  one.secret === other.secret && one.backupCodes === other.backupCodes
