import { signRequestWeb } from '@muster/http-signature/web'
import { importPrivateKey, importSecret, type SigningKey } from './keys.ts'

export interface Unsigned {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

export type Sign = (request: Unsigned) => Record<string, string> | Promise<Record<string, string>>

/** The supported signature forms: RFC 9421 (form B) and draft-cavage (form A). */
export type SignatureForm = 'rfc9421' | 'cavage'

export interface Credentials {
  keyId?: string | undefined
  secret?: string | undefined
  privateKey?: string | SigningKey | undefined
  sign?: Sign | undefined
  form?: SignatureForm | undefined
}

/**
 * Returns the signing function. Throws TypeError if the credentials are incomplete or ambiguous. The signing function
 * rejects with TypeError if the secret or the private key is invalid.
 */
export function signerOf({ keyId, secret, privateKey, sign, form }: Credentials): Sign {
  if ([secret, privateKey, sign].filter((given) => given !== undefined).length !== 1)
    throw new TypeError('pass exactly one of secret, privateKey, and sign')
  if (sign !== undefined) return sign
  if (keyId === undefined || keyId === '')
    throw new TypeError('keyId is required with secret or privateKey: pass the access key ID')
  const key = importOnce(() => (secret === undefined ? importPrivateKey(privateKey!) : importSecret(secret)))
  return async (request) =>
    signRequestWeb({ ...request, keyId, form, key: await key(), created: Math.floor(Date.now() / 1_000) })
}

function importOnce(load: () => Promise<SigningKey>): () => Promise<SigningKey> {
  let key: Promise<SigningKey> | undefined
  return () => (key ??= load())
}
