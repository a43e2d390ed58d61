import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { now, nowAsDate, outcomeOf, receive, signed, signingKeys } from '../../test/fixtures.ts'
import { type SignRequestOptions, signRequest } from '../index.ts'

const request: SignRequestOptions = {
  keyId: 'AKEXAMPLE',
  key: signingKeys.hmac,
  method: 'POST',
  url: 'https://api.example.com/graphql/v1',
  created: now,
}

describe('signing a request in form B', () => {
  test('covers the method, authority, and path, and the query, content type, and digest if present', () => {
    const input = (options: Partial<SignRequestOptions>): string =>
      signRequest({ ...request, ...options })['Signature-Input']!
    const rest = `created=${now};keyid="AKEXAMPLE";alg="hmac-sha256"`
    expect(input({})).toBe(`sig1=("@method" "@authority" "@path");${rest}`)
    expect(
      input({
        url: `${request.url}?a=1`,
        headers: { 'Content-Type': 'a/b' },
        body: 'x',
        expires: now + 60,
        nonce: 'n',
      }),
    ).toBe(
      `sig1=("@method" "@authority" "@path" "@query" "content-type" "content-digest");${rest};expires=${now + 60};nonce="n"`,
    )
    expect(input({ body: 'x', digest: false })).toBe(`sig1=("@method" "@authority" "@path");${rest}`)
  })

  test('adds the digest of the body if there is one, and no Date', () => {
    expect(Object.keys(signRequest({ ...request, body: '' })).sort()).toEqual([
      'Content-Digest',
      'Signature',
      'Signature-Input',
    ])
    expect(Object.keys(signRequest(request)).sort()).toEqual(['Signature', 'Signature-Input'])
  })
})

describe('signing a request in form A', () => {
  const cavage = { ...request, form: 'cavage' } as const

  test('covers the target, host, and date, and the content type and digest if present', () => {
    const added = signRequest({ ...cavage, body: 'x', headers: { 'content-type': 'a/b' } })
    expect(added.Date).toBe(nowAsDate)
    expect(added.Digest).toMatch(/^SHA-256=/)
    expect(added.Authorization).toMatch(
      /^Signature keyId="AKEXAMPLE",algorithm="hmac-sha256",headers="\(request-target\) host date content-type digest",signature="/,
    )
  })

  test('covers an existing Date header', () => {
    const added = signRequest({ ...cavage, headers: { date: nowAsDate } })
    expect(added.Date).toBeUndefined()
    expect(outcomeOf(receive('POST', request.url, { date: nowAsDate, ...added }))).toBe('ok')
  })

  test('covers times under the algorithm name hs2019', () => {
    expect(signRequest({ ...cavage, expires: now + 60 }).Authorization).toContain(
      `algorithm="hs2019",expires=${now + 60},headers="(request-target) host date (expires)"`,
    )
    expect(outcomeOf(signed({ form: 'cavage', components: ['(request-target)', 'host', '(created)'] }))).toBe('ok')
  })
})

describe('requests that cannot be signed', () => {
  test.each<[string, Partial<SignRequestOptions>]>([
    ['a missing header', { components: ['@method', 'x-none'] }],
    ['a header with non-ASCII characters', { headers: { 'Content-Type': 'é' } }],
    ['an unknown component', { components: ['@status'] }],
    ['an unknown component of form A', { form: 'cavage', components: ['(keyid)'] }],
    ['a component of the other form', { form: 'cavage', components: ['@method'] }],
    ['(expires) without a time', { form: 'cavage', components: ['(expires)'] }],
    ['a nonce in form A', { form: 'cavage', nonce: 'n' }],
    ['a nonce with non-ASCII characters', { nonce: 'é' }],
    ['a nonce that is too long', { nonce: 'n'.repeat(257) }],
    ['a key ID with a quote', { keyId: 'a"b' }],
    ['an empty key ID', { keyId: '' }],
    ['created in milliseconds', { created: now * 1000 }],
    ['created with a fraction of a second', { created: now + 0.5 }],
    ['expires with a fraction of a second', { expires: now + 0.5 }],
    ['a relative URL', { url: '/graphql/v1' }],
    ['a label in uppercase', { label: 'Sig' }],
    ['a method in lowercase', { method: 'post' }],
  ])('rejects %s', (_, options) => {
    expect(() => signRequest({ ...request, ...options })).toThrow(TypeError)
  })
})

test('creates signatures with the default components that are valid only for the same key and target', () => {
  const options = fc.record({
    form: fc.constantFrom('cavage', 'rfc9421'),
    keyName: fc.constantFrom('hmac', 'ed25519'),
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'M-SEARCH'),
    url: fc.webUrl({ withQueryParameters: true, validSchemes: ['http'] }),
    body: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined }),
    digest: fc.boolean(),
    created: fc.integer({ min: now - 300, max: now + 300 }),
    expires: fc.option(fc.integer({ min: now, max: now + 1000 }), { nil: undefined }),
    label: fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,9}$/),
    nameAlgorithm: fc.boolean(),
    nonce: fc.option(fc.stringMatching(/^[ -~]{0,40}$/), { nil: undefined }),
  })
  fc.assert(
    fc.property(options, ({ form, keyName, nonce, ...rest }) => {
      const arrived = signed({ ...rest, form, keyName, nonce: form === 'cavage' ? undefined : nonce })
      expect(outcomeOf(arrived, { keyName })).toBe('ok')
      expect(outcomeOf(arrived, { keyName: keyName === 'hmac' ? 'ed25519' : 'hmac' })).toBe('bad-signature')
      expect(outcomeOf({ ...arrived, target: `${arrived.target}x` }, { keyName })).toBe('bad-signature')
    }),
    { numRuns: 500 },
  )
})
