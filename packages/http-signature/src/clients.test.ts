import { describe, expect, test } from 'vitest'
import { knownClients, sendDhensby, sendJoyent } from '../test/clients.ts'
import {
  type KeyName,
  now,
  nowAsDate,
  outcomeOf,
  type RequestWithBody,
  verificationKeys,
  withHeader,
} from '../test/fixtures.ts'
import { parseSignature, verifySignature } from './index.ts'

function isAccepted(request: RequestWithBody, keyName: KeyName): boolean {
  const parsed = parseSignature(request)
  if (parsed.outcome !== 'signed') return false
  const { signature } = parsed
  const key = signature.keyId === 'AKEXAMPLE' ? verificationKeys[keyName] : undefined
  return verifySignature(signature, { key, requireDigest: false, body: request.body, now }).ok
}

function* damaged(text: string): Generator<string> {
  for (let i = 0; i < text.length; i++) {
    for (let bit = 1; bit < 128; bit <<= 1) {
      yield text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ bit) + text.slice(i + 1)
    }
    yield text.slice(0, i) + text.slice(i + 1)
  }
}

function* damagedRequests(request: RequestWithBody): Generator<[string, RequestWithBody]> {
  const parsed = parseSignature(request)
  if (parsed.outcome !== 'signed') throw new Error(`expected a signed request, but the outcome is ${parsed.outcome}`)
  const { form, components } = parsed.signature
  for (const method of damaged(request.method)) yield ['method', { ...request, method }]
  for (const target of damaged(request.target)) yield ['target', { ...request, target }]
  const names = components.filter((name) => !/^[@(]/.test(name))
  const credentials = form === 'rfc9421' ? ['signature', 'signature-input'] : []
  for (const name of new Set([...names, ...credentials, 'host'])) {
    for (const value of damaged(headerOf(request, name))) yield [name, withHeader(request, name, () => value)]
  }
  if (form === 'cavage') yield* damagedParameters(request)
  if (names.some((name) => name.endsWith('digest'))) {
    const body = request.body!.toString('latin1')
    for (const text of damaged(body)) yield ['body', { ...request, body: Buffer.from(text, 'latin1') }]
  }
}

/**
 * Yields requests with one damaged signature parameter each, and the name of the parameter. Skips changes that affect
 * only the case of `headers`, because header names are case-insensitive.
 */
function* damagedParameters(request: RequestWithBody): Generator<[string, RequestWithBody]> {
  const header = headerOf(request, 'authorization') === '' ? 'signature' : 'authorization'
  const credentials = headerOf(request, header)
  for (const name of ['keyId', 'headers', 'signature']) {
    const value = new RegExp(`${name}="([^"]*)"`).exec(credentials)![1]!
    for (const text of damaged(value)) {
      if (name === 'headers' && text.toLowerCase() === value.toLowerCase()) continue
      yield [
        name,
        withHeader(request, header, () => credentials.replace(`${name}="${value}"`, () => `${name}="${text}"`)),
      ]
    }
  }
}

function headerOf(request: RequestWithBody, name: string): string {
  const at = request.rawHeaders.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name)
  return at < 0 ? '' : request.rawHeaders[at + 1]!
}

describe.each(Object.entries(knownClients(now)))('%s', (_, client) => {
  test.each(['hmac', 'ed25519'] as const)(
    'is accepted unchanged, and is rejected if any signed bit changes: %s',
    async (keyName) => {
      const request = await client(keyName)
      expect(isAccepted(request, keyName)).toBe(true)
      const accepted: string[] = []
      let count = 0
      for (const [part, other] of damagedRequests(request)) {
        count++
        if (isAccepted(other, keyName)) accepted.push(`${part}: ${JSON.stringify(other)}`)
      }
      expect(accepted).toEqual([])
      expect(count).toBeGreaterThan(500)
    },
  )
})

describe('insecure defaults of these clients', () => {
  const get = { method: 'GET', path: '/', headers: {} }

  test('rejects a signature of http-signature that covers only date and omits the parameter headers', async () => {
    expect(outcomeOf(await sendJoyent(get, 'hmac', {}))).toBe('not-covered')
  })

  test('rejects a signature of http-signature that covers (created) under the name hmac-sha256', async () => {
    const request = await sendJoyent(get, 'hmac', { headers: ['(request-target)', 'host', '(created)'] })
    expect(outcomeOf(request)).toBe('unsupported-component')
  })

  test('rejects signatures of http-message-signatures that cover only (created), or no components', async () => {
    expect(outcomeOf(await sendDhensby('cavage', get, 'hmac', { fields: ['@created'] }))).toBe('unsupported-component')
    expect(outcomeOf(await sendDhensby('httpbis', get, 'hmac', { fields: [] }))).toBe('not-covered')
  })

  test('rejects a signature of http-message-signatures without created', async () => {
    const fields = ['@method', '@authority', '@target-uri', 'date']
    const sent = { ...get, headers: { Date: nowAsDate } }
    expect(outcomeOf(await sendDhensby('httpbis', sent, 'hmac', { fields, params: ['keyid', 'alg'] }))).toBe(
      'not-covered',
    )
  })
})
