import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { ClientRequest } from 'node:http'
import { createRequire } from 'node:module'
import { contentDigest, digest } from '@muster/http-signature'
import { cavage, createSigner, httpbis } from 'http-message-signatures'
import type { Signer } from './installation.ts'
import { layoutOf, type Part, recordRequest } from './raw-requests.ts'

/** The npm package `http-signature`, which has no types. */
const joyent = createRequire(import.meta.url)('http-signature') as {
  sign(request: ClientRequest, options: Record<string, unknown>): boolean
}

/** The bytes of a signed request, the parts that the signature covers, and the parts of the signature. */
export interface Recorded {
  bytes: Buffer
  signed: Part[]
}

export interface ForeignClient {
  /** Clients that use GET send only queries. */
  method: 'GET' | 'POST'
  record(server: string, signer: Signer, query: string): Promise<Recorded>
}

export const newEd25519 = (): { publicKey: string; privateKey: KeyObject } => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey }
}

const documentedHeaders = ['(request-target)', 'host', 'date', 'content-type', 'content-length']
const pluginFields = ['@method', '@authority', '@target-uri', 'date']

/** Third-party clients in several configurations, keyed by a description. */
export const foreignClients: Record<string, ForeignClient> = {
  'http-signature, the documented five headers': joyentClient('POST', { headers: documentedHeaders }),
  'http-signature, five headers and a digest': joyentClient('POST', { headers: [...documentedHeaders, 'digest'] }),
  'http-signature, a GET': joyentClient('GET', { headers: documentedHeaders.slice(0, 3) }),
  'http-signature, in a Signature header': joyentClient('POST', {
    headers: [...documentedHeaders.slice(0, 3), 'digest'],
    authorizationHeaderName: 'Signature',
  }),
  'http-message-signatures, as an API plugin does': dhensbyClient('POST', 'httpbis', pluginFields),
  'http-message-signatures, with a digest': dhensbyClient('POST', 'httpbis', [
    ...pluginFields,
    'content-digest',
    'content-type',
  ]),
  'http-message-signatures, a GET': dhensbyClient('GET', 'httpbis', ['@method', '@authority', '@path', '@query']),
  'http-message-signatures in cavage mode': dhensbyClient('POST', 'cavage', [
    '@request-target',
    'host',
    'date',
    'content-type',
  ]),
  'http-message-signatures in cavage mode, with a digest': dhensbyClient('POST', 'cavage', [
    '@request-target',
    'host',
    'date',
    'digest',
  ]),
}

function joyentClient(
  method: 'GET' | 'POST',
  options: { headers: string[]; authorizationHeaderName?: string },
): ForeignClient {
  return {
    method,
    async record(server, { keyId, key }, query) {
      const material =
        key.algorithm === 'hmac-sha256'
          ? { key: Buffer.from(key.secret), algorithm: key.algorithm }
          : { key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
      const bytes = await recordRequest(server, operation(method, query), (request) => {
        joyent.sign(request, { keyId, ...options, ...material })
      })
      const carrier = options.authorizationHeaderName ?? 'Authorization'
      return { bytes, signed: [...coveredParts(bytes, options.headers), ...parametersIn(bytes, carrier)] }
    },
  }
}

function dhensbyClient(method: 'GET' | 'POST', mode: 'httpbis' | 'cavage', fields: string[]): ForeignClient {
  return {
    method,
    async record(server, { keyId, key }, query) {
      const material = key.algorithm === 'hmac-sha256' ? Buffer.from(key.secret) : key.privateKey
      const parts = operation(method, query)
      const bytes = await recordRequest(server, parts, async (request) => {
        const headers = { ...parts.headers, host: String(request.getHeader('host')) }
        const message = { method, url: server + parts.path, headers }
        const config = { key: createSigner(material, key.algorithm, keyId), fields }
        const signed = await (mode === 'cavage'
          ? cavage.signMessage(config, message)
          : httpbis.signMessage(config, message))
        for (const [name, value] of Object.entries(signed.headers)) request.setHeader(name, value)
      })
      const { header } = layoutOf(bytes)
      const credentials =
        mode === 'cavage'
          ? parametersIn(bytes, 'Signature')
          : [header('signature-input').value, header('signature').value]
      return { bytes, signed: [...coveredParts(bytes, fields), ...credentials] }
    },
  }
}

function operation(method: 'GET' | 'POST', query: string) {
  const date = { Date: new Date().toUTCString() }
  if (method === 'GET') return { method, path: `/graphql/v1?query=${encodeURIComponent(query)}`, headers: date }
  const body = JSON.stringify({ query })
  const headers = {
    ...date,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Content-Digest': contentDigest(body),
    Digest: digest(body),
  }
  return { method, path: '/graphql/v1', headers, body }
}

function coveredParts(bytes: Buffer, fields: readonly string[]): Part[] {
  const { method, target, header, body } = layoutOf(bytes)
  const names = new Set(['host', ...fields.filter((name) => !/^[@(]/.test(name))])
  const headers = [...names].flatMap((name) => Object.values(header(name)))
  return [method, target, ...headers, ...(fields.some((name) => name.endsWith('digest')) ? [body] : [])]
}

/** Returns the positions of the signature's parameters. Names of headers and algorithms are case-insensitive. */
function parametersIn(bytes: Buffer, carrier: string): Part[] {
  const { value } = layoutOf(bytes).header(carrier)
  const text = bytes.toString('latin1', value.start, value.end)
  return ['keyId', 'algorithm', 'headers', 'signature'].map((name) => {
    const match = new RegExp(`(?:^|[ ,])(${name}=")([^"]*)"`).exec(text)
    if (match === null) throw new Error(`The header ${carrier} has no parameter "${name}": ${text}`)
    const start = value.start + match.index + match[0].length - 1 - match[2]!.length
    return { name, start, end: start + match[2]!.length, isCaseInsensitive: name === 'headers' || name === 'algorithm' }
  })
}
