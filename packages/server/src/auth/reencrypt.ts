import type { Database } from '../db/database.ts'
import {
  type Cursor,
  type Reencrypted,
  type SecretPlace,
  type StoredSecret,
  secretPlaces,
  selectSecrets,
  writeSecrets,
} from './master-key.queries.ts'
import type { SecretOwner, Secrets } from './secrets.ts'

export interface Reencryption {
  /** How many secrets were encrypted anew. */
  count: number
  /** Access keys and webhooks whose stored secret no key at hand opens. */
  damaged: string[]
}

/** Rows that are read and written at once. */
const BATCH = 500

/** Again and again until a look at everything finds nothing more: somebody may change a row between its reading and its writing. */
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
    const anew: Reencrypted[] = []
    for (const row of rows) {
      const before = row.encrypted[index]
      const owner = ownerOf(place, row)
      if (before == null || open(current, owner, before) !== undefined) continue
      const secret = others.map((other) => open(other, owner, before)).find((opened) => opened !== undefined)
      if (secret === undefined) damaged.push(row.id)
      else anew.push({ accountId: row.accountId, id: row.id, before, after: secrets.encrypt(owner, secret) })
    }
    if (anew.length > 0) await writeSecrets(db, place, { column, secrets: anew })
    count += anew.length
  }
  return count
}

function open(key: Pick<Secrets, 'decrypt'> | undefined, owner: SecretOwner, encrypted: Buffer): Buffer | undefined {
  try {
    return key?.decrypt(owner, encrypted)
  } catch {
    return undefined
  }
}

/** As it was encrypted: by access-keys and by webhook-secret. */
const ownerOf = ({ table }: SecretPlace, { accountId, id }: StoredSecret): SecretOwner => ({
  accountId,
  key: table === 'webhook' ? `webhook ${id}` : id,
})
