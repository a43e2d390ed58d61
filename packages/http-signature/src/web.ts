// The signer for wherever there is Web Crypto: nothing that this file reaches imports from Node.
import { type DraftOptions, draftSignature, wantsDigest } from './draft-signature.ts'

export type { DraftOptions } from './draft-signature.ts'
export type { SignatureForm } from './parsed-signature.ts'

/** A key of Web Crypto that may sign: HMAC with SHA-256, or an Ed25519 private key. */
export type WebSigningKey = Parameters<typeof crypto.subtle.sign>[1]

/** A request to sign, and how. */
export type WebSignRequestOptions = DraftOptions & { key: WebSigningKey }

/** The same as `signRequest`, byte for byte, by Web Crypto. */
export async function signRequestWeb({ key, ...options }: WebSignRequestOptions): Promise<Record<string, string>> {
  const bodyHash = wantsDigest(options) ? await hashBody(options.body!) : undefined
  const algorithm = key.algorithm.name === 'Ed25519' ? 'ed25519' : 'hmac-sha256'
  const draft = draftSignature(options, { algorithm, bodyHash })
  const signature = await crypto.subtle.sign(key.algorithm.name, key, latin1Bytes(draft.base))
  return draft.finish(toBase64(new Uint8Array(signature)))
}

async function hashBody(body: Uint8Array | string): Promise<string> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Headers hold characters up to U+00FF at most, each of them one byte. */
const latin1Bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

/** Short inputs only: each byte is an argument. */
const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
