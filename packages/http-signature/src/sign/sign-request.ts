import { hash } from 'node:crypto'
import { type SigningKey, signBase } from '../algorithms.ts'
import { type DraftOptions, draftSignature, wantsDigest } from './draft-signature.ts'

export type SignRequestOptions = DraftOptions & { key: SigningKey }

/** Signs a request and returns the headers to add, keyed by name. Throws TypeError if the request cannot be signed. */
export function signRequest({ key, ...options }: SignRequestOptions): Record<string, string> {
  const bodyHash = wantsDigest(options) ? hash('sha256', options.body!, 'base64') : undefined
  const draft = draftSignature(options, { algorithm: key.algorithm, bodyHash })
  return draft.finish(signBase(key, draft.base).toString('base64'))
}
