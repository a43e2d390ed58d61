import { hash } from 'node:crypto'
import { type SigningKey, signBase } from './algorithms.ts'
import { type DraftOptions, draftSignature, wantsDigest } from './draft-signature.ts'

/** A request to sign, and how. */
export type SignRequestOptions = DraftOptions & { key: SigningKey }

/**
 * Signs a request and returns the headers to add to it, by name. Throws TypeError for what cannot be signed: a header
 * that is not there, a nonce in form `cavage`, a key id with other characters than letters, digits, `.`, `-` and `_`.
 */
export function signRequest({ key, ...options }: SignRequestOptions): Record<string, string> {
  const bodyHash = wantsDigest(options) ? hash('sha256', options.body!, 'base64') : undefined
  const draft = draftSignature(options, { algorithm: key.algorithm, bodyHash })
  return draft.finish(signBase(key, draft.base).toString('base64'))
}
