import { hash } from 'node:crypto'
import { type SigningKey, signBase } from '../algorithms.ts'
import { type DraftOptions, draftSignature, wantsDigest } from './draft-signature.ts'

/** A request to sign, the key, and the options. */
export type SignRequestOptions = DraftOptions & { key: SigningKey }

/**
 * Signs a request and returns the headers to add, by name. Throws TypeError if it cannot be signed, such as for a missing
 * header, a nonce in form `cavage`, or a key id with characters other than letters, digits, `.`, `-`, and `_`.
 */
export function signRequest({ key, ...options }: SignRequestOptions): Record<string, string> {
  const bodyHash = wantsDigest(options) ? hash('sha256', options.body!, 'base64') : undefined
  const draft = draftSignature(options, { algorithm: key.algorithm, bodyHash })
  return draft.finish(signBase(key, draft.base).toString('base64'))
}
