import { randomUUID } from 'node:crypto'
import type { Database } from '../../db/database.ts'

export interface Passkey {
  id: string
  name: string | null
  created: Date
}

export function listPasskeys(db: Database, personId: string): Promise<Passkey[]> {
  return db
    .selectFrom('passkey')
    .select(['id', 'name', 'created'])
    .where('account_id', '=', personId)
    .orderBy('created')
    .orderBy('id')
    .limit(1_000)
    .execute()
}

export function renamePasskey(
  db: Database,
  personId: string,
  { id, name }: { id: string; name: string },
): Promise<Passkey | undefined> {
  return db
    .updateTable('passkey')
    .set({ name })
    .where('account_id', '=', personId)
    .where('id', '=', id)
    .returning(['id', 'name', 'created'])
    .executeTakeFirst()
}

export async function deletePasskey(db: Database, personId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('passkey')
    .where('account_id', '=', personId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

export async function hasPasskey(db: Database, personId: string, credentialId: string): Promise<boolean> {
  const row = await db
    .selectFrom('passkey')
    .select('id')
    .where('account_id', '=', personId)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return row !== undefined
}

/** A passkey that has been verified but not yet stored. */
export interface NewPasskey {
  credentialId: string
  publicKey: string
  counter: number
  deviceType: string
  backedUp: boolean
  transports: string | null
  aaguid: string | null
}

/** Returns false if the credential is already registered. */
export async function insertPasskey(db: Database, personId: string, passkey: NewPasskey): Promise<boolean> {
  const result = await db
    .insertInto('passkey')
    .values({
      ...{ account_id: personId, id: randomUUID(), name: null, counter: passkey.counter },
      ...{ credential_id: passkey.credentialId, public_key: passkey.publicKey, device_type: passkey.deviceType },
      ...{ backed_up: passkey.backedUp, transports: passkey.transports, aaguid: passkey.aaguid },
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function deletePasskeys(db: Database, personId: string): Promise<void> {
  await db.deleteFrom('passkey').where('account_id', '=', personId).execute()
}
