import { createPrivateKey, createPublicKey } from 'node:crypto'
import { createInstallation, oneMinutePerCall } from '../../access/installation.ts'
import { createAccount } from '../../factories/account.ts'
import type { ReferenceInput } from './model.ts'
import type { Signer } from './signed-requests.ts'

/**
 * The server's time in Unix seconds: Fri, 20 Nov 2026 08:30:18 GMT. It is constant, so that the same seed produces the
 * same bytes.
 */
export const now = 1_795_163_418
export const secret = Buffer.from('a secret of 32 bytes for testing')
const privateKey = createPrivateKey(`-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`)
const publicKey = createPublicKey(privateKey)
export const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

export const keyId = 'MKSHAREDSECRETOFTEST'
const publicKeyId = 'MKPUBLICKEYOFTESTING'
export const signers: Signer[] = [
  { keyId, key: { algorithm: 'hmac-sha256', secret } },
  { keyId: publicKeyId, key: { algorithm: 'ed25519', privateKey } },
]

export interface FuzzedServer {
  referenceInput: ReferenceInput
  /** The data that the response to `{ login { id } }` contains if the server accepts the request. */
  expectedData: string
  close(): Promise<void>
}

/** Starts a server with a stopped clock and one user with the keys of `signers`. */
export async function startFuzzedServer(): Promise<FuzzedServer> {
  const { db, secrets, startServer, close } = await createInstallation()
  const url = await startServer({ clock: () => new Date(now * 1_000), elapsed: oneMinutePerCall() })
  const { id } = await createAccount(db)
  const encrypted_secret = secrets.encrypt({ accountId: id, key: keyId }, secret)
  const secretKeyRow = { account_id: id, key: keyId, algorithm: 'hmac-sha256', encrypted_secret }
  const publicKeyRow = { account_id: id, key: publicKeyId, algorithm: 'ed25519', public_key: publicPem }
  await db.insertInto('access_key').values([secretKeyRow, publicKeyRow]).execute()
  const keys = { [keyId]: { secret }, [publicKeyId]: { publicKey } }
  return {
    referenceInput: { keys, now, port: Number(new URL(url).port) },
    expectedData: `{"login":{"id":"${id}"}}`,
    close,
  }
}
