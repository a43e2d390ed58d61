import { signRequestWeb } from '@muster/http-signature/web'
import { importPrivateKey, importSecret, type SigningKey } from './keys.ts'

/** What is about to be sent. */
export interface Unsigned {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** Returns the headers that sign a request. */
export type Sign = (request: Unsigned) => Record<string, string> | Promise<Record<string, string>>

/** How requests are signed: the one form or the other of the same statement. */
export type SignatureForm = 'rfc9421' | 'cavage'

/** What a request is signed with. */
export interface Credentials {
  keyId?: string | undefined
  secret?: string | undefined
  privateKey?: string | SigningKey | undefined
  sign?: Sign | undefined
  form?: SignatureForm | undefined
}

/** The signer that these credentials make. Throws TypeError for such as make none. */
export function signerOf({ keyId, secret, privateKey, sign, form }: Credentials): Sign {
  if ([secret, privateKey, sign].filter((given) => given !== undefined).length !== 1)
    throw new TypeError('give one of secret, privateKey and sign')
  if (sign !== undefined) return sign
  if (keyId === undefined || keyId === '') throw new TypeError('keyId must be the id of the access key')
  const key = keepKey(() => (secret === undefined ? importPrivateKey(privateKey!) : importSecret(secret)))
  return async (request) =>
    signRequestWeb({ ...request, keyId, form, key: await key(), created: Math.floor(Date.now() / 1_000) })
}

/** Imports a key at its first use, and once: what is wrong with it is thrown by every use. */
function keepKey(load: () => Promise<SigningKey>): () => Promise<SigningKey> {
  let key: Promise<SigningKey> | undefined
  return () => {
    key ??= load()
    return key
  }
}
