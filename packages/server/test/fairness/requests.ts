import { randomBytes } from 'node:crypto'
import { signRequest } from '@muster/http-signature'
import type { AccessKey } from './population.ts'

const PATH = '/graphql/v1'
const HEADERS = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }

export interface Operation {
  query: string
  variables?: Record<string, unknown>
}

export function signOperation(url: string, { keyId, secret }: AccessKey, operation: Operation) {
  const body = JSON.stringify(operation)
  const signature = signRequest({
    keyId,
    key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') },
    method: 'POST',
    url: `${url}${PATH}`,
    headers: HEADERS,
    body,
    created: Math.floor(Date.now() / 1_000),
  })
  return { path: PATH, headers: { ...HEADERS, ...signature, 'content-length': String(Buffer.byteLength(body)) }, body }
}

export function signedBytes(url: string, key: AccessKey, operation: Operation): Buffer {
  const { headers, body } = signOperation(url, key, operation)
  return requestBytes('POST', PATH, { host: new URL(url).host, ...headers }, body)
}

function requestBytes(method: string, target: string, headers: Record<string, string>, body = ''): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

const unknownKey = (): AccessKey => ({
  keyId: `MK${randomBytes(9).toString('hex').toUpperCase()}`,
  secret: randomBytes(32).toString('base64'),
})

export const unknownKeyRequest = (url: string): Buffer =>
  signedBytes(url, unknownKey(), { query: '{ login { email } }' })

const PADDING_BYTES = 8_000

/** Builds a request with an unknown key. Each attempt to verify its signature hashes a header of 8 KB. */
export function expensiveSignature(): Buffer {
  const created = Math.floor(Date.now() / 1_000)
  const covered = '("@method" "@authority" "@target-uri" "host" "x-padding")'
  return requestBytes('GET', `${PATH}?query=%7Blogin%7Bemail%7D%7D`, {
    host: 'LocalHost',
    'x-padding': 'x'.repeat(PADDING_BYTES),
    'signature-input': `a=${covered};created=${created};keyid="${unknownKey().keyId}"`,
    signature: `a=:${randomBytes(32).toString('base64')}:`,
  })
}

const UNFINISHED_BYTES = 1024 * 1024

/** Builds a request without credentials and without its last byte. */
export function unfinishedRequest(url: string): Buffer {
  const headers = {
    host: new URL(url).host,
    'content-type': 'application/json',
    'content-length': String(UNFINISHED_BYTES),
  }
  return requestBytes('POST', PATH, headers, ' '.repeat(UNFINISHED_BYTES - 1))
}
