// This module is the signer for platforms with Web Crypto. The file and its imports must not import from Node.
import { type DraftOptions, draftSignature, wantsDigest } from './draft-signature.ts'

export type { SignatureForm } from '../parse/parsed-signature.ts'
export type { DraftOptions } from './draft-signature.ts'

/** A Web Crypto key for signing: HMAC with SHA-256, or an Ed25519 private key. */
export type WebSigningKey = Parameters<typeof crypto.subtle.sign>[1]

export type WebSignRequestOptions = DraftOptions & { key: WebSigningKey }

/** Signs a request with Web Crypto. Returns the same headers as `signRequest`. */
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

/**
 * Converts a signature base to bytes. The base contains only characters up to U+00FF, so each character becomes one
 * byte.
 */
const latin1Bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

/** Encodes bytes as base64. Supports only short inputs, because it passes each byte as a function argument. */
const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
