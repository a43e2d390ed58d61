import { createHmac, createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { outcomeOf, receive, sharedSecret, signingKeys } from '../test/fixtures.ts'
import { contentDigest, digest, signRequest } from './index.ts'

const helloWorld = '{"hello": "world"}'

describe('RFC 9421 appendix B', () => {
  const headers = {
    Date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'Content-Type': 'application/json',
    'Content-Digest':
      'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
    'Content-Length': '18',
  }
  const request = {
    method: 'POST',
    url: 'https://example.com/foo?param=Value&Pet=dog',
    headers,
    created: 1618884473,
    nameAlgorithm: false,
  }

  test('reproduces the signature of B.2.5, which uses hmac-sha256, and rejects its coverage', () => {
    const added = signRequest({
      ...request,
      keyId: 'test-shared-secret',
      key: signingKeys.hmac,
      components: ['date', '@authority', 'content-type'],
      label: 'sig-b25',
    })
    expect(added).toEqual({
      'Signature-Input': 'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
      Signature: 'sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:',
    })
    const arrived = receive('POST', request.url, { ...headers, ...added }, helloWorld)
    expect(outcomeOf(arrived, { now: request.created })).toBe('not-covered')
  })

  test('reproduces the signature of B.2.6, which uses ed25519, and rejects its coverage', () => {
    const added = signRequest({
      ...request,
      keyId: 'test-key-ed25519',
      key: signingKeys.ed25519,
      components: ['date', '@method', '@path', '@authority', 'content-type', 'content-length'],
      label: 'sig-b26',
    })
    expect(added['Signature-Input']).toBe(
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    )
    expect(added.Signature).toBe(
      'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
    )
    const arrived = receive('POST', request.url, { ...headers, ...added }, helloWorld)
    expect(outcomeOf(arrived, { now: request.created, keyName: 'ed25519' })).toBe('not-covered')
  })

  test('checks the sha-512 digest of the test request', () => {
    const components = ['@method', '@authority', '@target-uri', 'content-digest']
    const added = signRequest({ ...request, keyId: 'test-shared-secret', key: signingKeys.hmac, components })
    const options = { now: request.created, scheme: 'https', requireDigest: true } as const
    expect(outcomeOf(receive('POST', request.url, { ...headers, ...added }, helloWorld), options)).toBe('ok')
    expect(outcomeOf(receive('POST', request.url, { ...headers, ...added }, helloWorld.toUpperCase()), options)).toBe(
      'digest-mismatch',
    )
  })
})

describe('draft-cavage-http-signatures-12 appendix C', () => {
  const date = 'Sun, 05 Jan 2014 21:31:40 GMT'
  const created = Date.parse(date) / 1000
  const url = 'http://example.com/foo?param=value&pet=dog'
  const headers = { Date: date, 'Content-Type': 'application/json', 'Content-Length': '18' }
  const testKey = createPublicKey({
    key: Buffer.from(
      'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDCFENGw33yGihy92pDjZQhl0C36rPJj+CvfSC8+q28hxA161QFNUd13wuCTUcq0Qd2qsBe/2hFyc2DCJJg0h1L78+6Z4UMR7EOcpfdUE9Hf3m/hs+FUR45uBJeDK1HSFHD8bHKD6kv8FPGfJTotc+2xjJwoYi+1hqp1fIekaxsyQIDAQAB',
      'base64',
    ),
    format: 'der',
    type: 'spki',
  })

  function expectSameString(components: string[], base: string, rsaSignature: string): void {
    const added = signRequest({
      form: 'cavage',
      keyId: 'Test',
      key: signingKeys.hmac,
      method: 'POST',
      url,
      headers,
      body: helloWorld,
      created,
      components,
    })
    const hmac = createHmac('sha256', sharedSecret).update(base).digest('base64')
    expect(added.Authorization).toContain(`signature="${hmac}"`)
    expect(verify('sha256', Buffer.from(base), testKey, Buffer.from(rsaSignature, 'base64'))).toBe(true)
  }

  test('builds the string of C.1, which covers only the date', () => {
    expectSameString(
      ['date'],
      `date: ${date}`,
      'SjWJWbWN7i0wzBvtPl8rbASWz5xQW6mcJmn+ibttBqtifLN7Sazz6m79cNfwwb8DMJ5cou1s7uEGKKCs+FLEEaDV5lp7q25WqS+lavg7T8hc0GppauB6hbgEKTwblDHYGEtbGmtdHgVCk9SuS13F0hZ8FD0k/5OxEPXe5WozsbM=',
    )
  })

  test('builds the string of C.2, the basic test', () => {
    expectSameString(
      ['(request-target)', 'host', 'date'],
      `(request-target): post /foo?param=value&pet=dog\nhost: example.com\ndate: ${date}`,
      'qdx+H7PHHDZgy4y/Ahn9Tny9V3GP6YgBPyUXMmoxWtLbHpUnXS2mg2+SbrQDMCJypxBLSPQR2aAjn7ndmw2iicw3HMbe8VfEdKFYRqzic+efkb3nndiv/x1xSHDJWeSWkx3ButlYSuBskLu6kd9Fswtemr3lgdDEmn04swr2Os0=',
    )
  })

  test("builds the string of C.3, without the two times that the example's signature omits", () => {
    expectSameString(
      ['(request-target)', 'host', 'date', 'content-type', 'digest', 'content-length'],
      [
        '(request-target): post /foo?param=value&pet=dog',
        'host: example.com',
        `date: ${date}`,
        'content-type: application/json',
        'digest: SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=',
        'content-length: 18',
      ].join('\n'),
      'vSdrb+dS3EceC9bcwHSo4MlyKS59iFIrhgYkz8+oVLEEzmYZZvRs8rgOp+63LEM3v+MFHB32NfpB2bEKBIvB1q52LaEUHFv120V01IL+TAD48XaERZFukWgHoBTLMhYS2Gb51gWxpeIq8knRmPnYePbF5MOkR0Zkly4zKH7s1dE=',
    )
  })

  test('verifies the string of C.2 with an HMAC key', () => {
    const Authorization =
      'Signature keyId="Test",algorithm="hmac-sha256",headers="(request-target) host date",signature="rXydGO4LSFsIYkLnL9grLNwKaApapEUO0Q5CB1gaXzw="'
    expect(outcomeOf(receive('POST', url, { Date: date, Authorization }, helloWorld), { now: created })).toBe('ok')
  })

  test('verifies a signature of the five headers that many clients sign', () => {
    const Authorization =
      'Signature keyId="Test",algorithm="hmac-sha256",headers="(request-target) host date content-type content-length",signature="XsRhpzoKRuMh8UXv8q/9+JBKMELjFxnQHdAa+1hoKn8="'
    const arrived = receive('POST', 'http://api.example.com/graphql/v1', { ...headers, Authorization }, helloWorld)
    expect(outcomeOf(arrived, { now: created })).toBe('ok')
    expect(outcomeOf({ ...arrived, body: Buffer.from(`${helloWorld}\n`) }, { now: created })).toBe('length-mismatch')
  })
})

describe('a request captured from Python requests-http-signature 0.7.1', () => {
  const body = '{"query": "{ __typename }"}'
  const captured = receive(
    'POST',
    'http://127.0.0.1:44817/graphql/v1',
    {
      'Content-Digest': 'sha-256=:VVVnDklzwIh3lWTQFhdU5vIASjwF1SgtBwY2BA8j5PU=:',
      Date: 'Fri, 20 Nov 2026 08:30:18 GMT',
      'Signature-Input':
        'pyhms=("@method" "@authority" "@target-uri" "date" "content-digest");created=1795163418;keyid="AKEXAMPLE";alg="hmac-sha256"',
      Signature: 'pyhms=:KmCV7M3YHizcYOOZ2InW3/x3ce9rmVz9vv6NNExd1zg=:',
    },
    body,
  )

  test('is accepted by its target server', () => {
    expect(outcomeOf(captured, { requireDigest: true })).toBe('ok')
  })

  test('is accepted behind a proxy only if the public URL is the signed one', () => {
    const behind = { ...captured, rawHeaders: ['Host', 'backend:3000', ...captured.rawHeaders.slice(2)] }
    expect(outcomeOf(behind)).toBe('bad-signature')
    expect(outcomeOf(behind, { publicUrl: 'http://127.0.0.1:44817' })).toBe('ok')
    expect(outcomeOf(behind, { publicUrl: 'https://127.0.0.1:44817' })).toBe('bad-signature')
    expect(outcomeOf(behind, { publicUrl: 'http://127.0.0.1:44818' })).toBe('bad-signature')
  })
})

test('computes the digests of a body', () => {
  expect(contentDigest(helloWorld)).toBe('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:')
  expect(contentDigest(Buffer.from(helloWorld))).toBe(contentDigest(helloWorld))
  expect(digest(helloWorld)).toBe('SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=')
})
