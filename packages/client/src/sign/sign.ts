import { signRequestWeb } from '@muster/http-signature/web'
import { importPrivateKey, importSecret, type SigningKey } from './keys.ts'

/** A request before it is signed. */
export interface Unsigned {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** Returns the headers that sign a request. */
export type Sign = (request: Unsigned) => Record<string, string> | Promise<Record<string, string>>

/** The two supported forms of signatures. */
export type SignatureForm = 'rfc9421' | 'cavage'

/** The credentials for signing requests. */
export interface Credentials {
  keyId?: string | undefined
  secret?: string | undefined
  privateKey?: string | SigningKey | undefined
  sign?: Sign | undefined
  form?: SignatureForm | undefined
}

/** Creates the signing function for credentials. Throws TypeError if they are incomplete. */
export function signerOf({ keyId, secret, privateKey, sign, form }: Credentials): Sign {
  if ([secret, privateKey, sign].filter((given) => given !== undefined).length !== 1)
    throw new TypeError('pass exactly one of secret, privateKey, and sign')
  if (sign !== undefined) return sign
  if (keyId === undefined || keyId === '') throw new TypeError('keyId must be the id of the access key')
  const key = importOnce(() => (secret === undefined ? importPrivateKey(privateKey!) : importSecret(secret)))
  return async (request) =>
    signRequestWeb({ ...request, keyId, form, key: await key(), created: Math.floor(Date.now() / 1_000) })
}

/** Imports a key once, at its first use. Every use throws if the key is invalid. */
function importOnce(load: () => Promise<SigningKey>): () => Promise<SigningKey> {
  let key: Promise<SigningKey> | undefined
  return () => {
    key ??= load()
    return key
  }
}
