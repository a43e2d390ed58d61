import type { Database } from '../../db/database.ts'
import type { KeySecrets, SecretOwner, Secrets } from '../secrets.ts'
import {
  type Cursor,
  type Reencrypted,
  type SecretPlace,
  type StoredSecret,
  secretPlaces,
  selectSecrets,
  writeSecrets,
} from './master-key.queries.ts'

export interface Reencryption {
  count: number
  /** The IDs of access keys, webhooks, sessions, and bulk jobs whose secrets no available key can decrypt. */
  damaged: string[]
}

const BATCH = 500

/** Repeats passes over all rows until a pass finds nothing to re-encrypt, because a row may change after it is read. */
export async function reencryptAll(db: Database, secrets: Secrets): Promise<Reencryption> {
  let count = 0
  for (;;) {
    let found = 0
    const damaged: string[] = []
    for (const place of secretPlaces) {
      for await (const rows of batches(db, place)) {
        found += await reencryptRows(db, place, { rows, secrets, damaged })
      }
    }
    count += found
    if (found === 0) return { count, damaged }
  }
}

async function* batches(db: Database, place: SecretPlace): AsyncGenerator<StoredSecret[]> {
  let after: Cursor = { accountId: '', id: '' }
  for (;;) {
    const rows = await selectSecrets(db, place, { after, size: BATCH })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last
  }
}

interface Batch {
  rows: readonly StoredSecret[]
  secrets: Secrets
  damaged: string[]
}

async function reencryptRows(db: Database, place: SecretPlace, { rows, secrets, damaged }: Batch): Promise<number> {
  const [current, ...others] = secrets.all
  let count = 0
  for (const [index, column] of place.columns.entries()) {
    const reencrypted: Reencrypted[] = []
    for (const row of rows) {
      const before = row.encrypted[index]
      const owner = ownerOf(place, row)
      if (before == null || tryDecrypt(current, owner, before) !== undefined) continue
      const secret = others
        .map((other) => tryDecrypt(other, owner, before))
        .find((decrypted) => decrypted !== undefined)
      if (secret === undefined) damaged.push(row.id)
      else reencrypted.push({ accountId: row.accountId, id: row.id, before, after: secrets.encrypt(owner, secret) })
    }
    if (reencrypted.length > 0) await writeSecrets(db, place, { column, secrets: reencrypted })
    count += reencrypted.length
  }
  return count
}

function tryDecrypt(key: KeySecrets | undefined, owner: SecretOwner, encrypted: Buffer): Buffer | undefined {
  try {
    return key?.decrypt(owner, encrypted)
  } catch {
    return undefined
  }
}

const prefixes: Partial<Record<SecretPlace['table'], string>> = {
  webhook: 'webhook ',
  sso_session: 'session ',
  bulk_job: 'bulk job ',
}

const ownerOf = ({ table }: SecretPlace, { accountId, id }: StoredSecret): SecretOwner => ({
  accountId,
  key: (prefixes[table] ?? '') + id,
})
