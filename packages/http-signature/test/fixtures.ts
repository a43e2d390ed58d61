import { createPrivateKey, createPublicKey } from 'node:crypto'
import {
  parseSignature,
  type ReceivedRequest,
  type SigningKey,
  type SignRequestOptions,
  signRequest,
  type VerificationKey,
  type VerifyOptions,
  verifySignature,
} from '../src/index.ts'

export const now = 1795163418
export const nowAsDate = 'Fri, 20 Nov 2026 08:30:18 GMT'

/** The shared secret of RFC 9421 appendix B.1.5. */
export const sharedSecret = Buffer.from(
  'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
  'base64',
)

/** The Ed25519 key pair of RFC 9421 appendix B.1.4. */
export const ed25519PublicPem = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
-----END PUBLIC KEY-----`
export const ed25519PrivatePem = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`

export type KeyName = 'hmac' | 'ed25519'

export const signingKeys: Record<KeyName, SigningKey> = {
  hmac: { algorithm: 'hmac-sha256', secret: sharedSecret },
  ed25519: { algorithm: 'ed25519', privateKey: createPrivateKey(ed25519PrivatePem) },
}

export const verificationKeys: Record<KeyName, VerificationKey> = {
  hmac: { algorithm: 'hmac-sha256', secret: sharedSecret },
  ed25519: { algorithm: 'ed25519', publicKey: createPublicKey(ed25519PublicPem) },
}

export type RequestWithBody = ReceivedRequest & { body?: Buffer | undefined }

export function outcomeOf(
  request: RequestWithBody,
  options: Partial<VerifyOptions> & { keyName?: KeyName } = {},
): string {
  const parsed = parseSignature(request)
  if (parsed.outcome !== 'signed') return parsed.outcome === 'none' ? 'none' : parsed.reason
  const outcome = verifySignature(parsed.signature, {
    key: verificationKeys[options.keyName ?? 'hmac'],
    requireDigest: false,
    body: request.body,
    now,
    ...options,
  })
  return outcome.ok ? 'ok' : outcome.reason
}

export type Draft = Partial<Omit<SignRequestOptions, 'key'>> & { keyName?: KeyName }

export function signed({ keyName = 'hmac', ...draft }: Draft = {}): RequestWithBody {
  const options = { method: 'POST', url: 'http://api.example.com:4000/graphql/v1?a=1&b=2', created: now, ...draft }
  const headers = { 'Content-Type': 'application/json', ...draft.headers }
  const body = 'body' in draft ? draft.body : '{"query":"{ version }"}'
  const key = signingKeys[keyName]
  const added = signRequest({ keyId: 'AKEXAMPLE', ...options, key, headers, body })
  return receive(options.method, options.url, { ...headers, ...added }, body)
}

export function receive(
  method: string,
  url: string | URL,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): RequestWithBody {
  const { host, pathname, search } = new URL(url)
  return {
    method,
    target: pathname + search,
    rawHeaders: ['Host', host, ...Object.entries(headers).flat()],
    body: body === undefined ? undefined : Buffer.from(body as string),
  }
}

export function withHeader(request: RequestWithBody, name: string, change: (value: string) => string): RequestWithBody {
  const rawHeaders = [...request.rawHeaders]
  const at = rawHeaders.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name.toLowerCase())
  if (at < 0) throw new Error(`the request has no header ${name}`)
  rawHeaders[at + 1] = change(rawHeaders[at + 1]!)
  return { ...request, rawHeaders }
}

export const withMore = (request: RequestWithBody, ...headers: string[]): RequestWithBody => ({
  ...request,
  rawHeaders: [...request.rawHeaders, ...headers],
})

export function without(request: RequestWithBody, name: string): RequestWithBody {
  const rawHeaders: string[] = []
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const [header, value] = request.rawHeaders.slice(i, i + 2) as [string, string]
    if (header.toLowerCase() !== name.toLowerCase()) rawHeaders.push(header, value)
  }
  return { ...request, rawHeaders }
}
