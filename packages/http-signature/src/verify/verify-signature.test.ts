import { describe, expect, test } from 'vitest'
import {
  type Arrived,
  type Draft,
  judge,
  type KeyName,
  now,
  signed,
  verificationKeys,
  withHeader,
  withMore,
} from '../../test/fixtures.ts'
import { contentDigest, digest, parseSignature, type VerifyOptions, verifySignature } from '../index.ts'

const forms = ['cavage', 'rfc9421'] as const
const keyNames = ['hmac', 'ed25519'] as const
const usual = ['@method', '@authority', '@target-uri']
const usualA = ['(request-target)', 'host', 'date']

/** Returns the whole outcome. `judge` returns only one word. */
function verifyOne(request: Arrived, options: Partial<VerifyOptions> = {}) {
  const parsed = parseSignature(request)
  if (parsed.outcome !== 'signed') throw new Error('not signed')
  return verifySignature(parsed.signature, {
    key: verificationKeys.hmac,
    requireDigest: false,
    body: request.body,
    now,
    ...options,
  })
}

describe.each(forms)('the clock of form %s', (form) => {
  const at = (created: number, extra: Draft = {}): Arrived => signed({ form, created, ...extra })

  test('may differ by 300 s in both directions', () => {
    expect(judge(at(now - 300))).toBe('ok')
    expect(judge(at(now + 300))).toBe('ok')
    expect(judge(at(now - 301))).toBe('clock-skew')
    expect(judge(at(now + 301))).toBe('clock-skew')
    expect(judge(at(now - 60), { clockSkew: 60 })).toBe('ok')
    expect(judge(at(now - 61), { clockSkew: 60 })).toBe('clock-skew')
  })

  test('is rejected if the verifier has no valid time', () => {
    expect(judge(at(now), { now: Number.NaN })).toBe('clock-skew')
  })

  test('is in the message', () => {
    expect(verifyOne(at(now - 812))).toEqual({
      ok: false,
      reason: 'clock-skew',
      message: expect.stringContaining('812 s ago'),
    })
  })

  test('stops at a covered time of expiry', () => {
    expect(judge(at(now - 10, { expires: now }))).toBe('ok')
    expect(judge(at(now - 10, { expires: now - 1 }))).toBe('expired')
    expect(judge(at(now - 301, { expires: now + 60 }))).toBe('clock-skew')
  })
})

describe('the key', () => {
  test.each(forms)('decides the algorithm, in form %s', (form) => {
    for (const signer of keyNames) {
      for (const nameAlgorithm of [true, false]) {
        const request = signed({ form, keyName: signer, nameAlgorithm })
        for (const keyName of keyNames) {
          expect(judge(request, { keyName })).toBe(signer === keyName ? 'ok' : 'bad-signature')
        }
      }
    }
  })

  test('of the public part as an HMAC secret verifies nothing', () => {
    const secret = Buffer.from('26b40b8f93fff3d897112f7ebc582b232dbd72517d082fe83cfb30ddce43d1bb', 'hex')
    const request = signed({ keyName: 'ed25519' })
    expect(judge(request, { key: { algorithm: 'hmac-sha256', secret } })).toBe('bad-signature')
  })

  test('that is unknown is answered like a wrong signature', () => {
    for (const form of forms) {
      for (const keyName of keyNames) {
        const request = signed({ form, keyName })
        const wrong = { ...request, method: 'PUT' }
        for (const requireDigest of [true, false]) {
          const unknown = verifyOne(request, { key: undefined, requireDigest })
          expect(unknown).toMatchObject({ ok: false, reason: 'bad-signature' })
          expect(unknown).toEqual(verifyOne(wrong, { key: verificationKeys[keyName], requireDigest }))
          expect(unknown).toEqual(verifyOne(request, { key: verificationKeys[other(keyName)], requireDigest }))
        }
      }
    }
  })

  test('reveals problems with the body only to its holder', () => {
    const request = { ...signed({ digest: false }), body: Buffer.from('other') }
    expect(judge(request, { requireDigest: true })).toBe('digest-required')
    expect(judge(request, { requireDigest: true, key: undefined })).toBe('bad-signature')
    const mismatch = { ...signed(), body: Buffer.from('other') }
    expect(judge(mismatch)).toBe('digest-mismatch')
    expect(judge(mismatch, { key: undefined })).toBe('bad-signature')
  })

  const other = (keyName: KeyName): KeyName => (keyName === 'hmac' ? 'ed25519' : 'hmac')
})

describe('a covered Content-Digest', () => {
  const body = '{"query":"{ version }"}'
  const sha512 = 'sha-512=:Ey2rdfjPiUYYRZBRnF7kt7VSGbZEEgkvHBHc2ipFhcUXjgdiJxSYUuhqBHLUuVA46Q/kUZXTbF0ph2C0kKVZ3w==:'
  const withDigest = (value: string): string =>
    judge(
      signed({ body, digest: false, headers: { 'Content-Digest': value }, components: [...usual, 'content-digest'] }),
    )

  test('is checked, every member of it', () => {
    expect(withDigest(contentDigest(body))).toBe('ok')
    expect(withDigest(contentDigest(`${body} `))).toBe('digest-mismatch')
    expect(withDigest(`${contentDigest(body)}, ${sha512}`)).toBe('digest-mismatch')
    expect(withDigest(sha512)).toBe('digest-mismatch')
  })

  test.each(['md5', 'sha', 'unixsum', 'unixcksum', 'adler', 'crc32c', 'sha-257', 'constructor'])(
    'has no member of the algorithm %s',
    (name) => {
      expect(withDigest(`${name}=:AAAA:`)).toBe('digest-unsupported')
      expect(withDigest(`${contentDigest(body)}, ${name}=:AAAA:`)).toBe('digest-unsupported')
    },
  )

  test.each([
    ['nothing', ''],
    ['form A of it', digest(body)],
    ['text', 'sha-256="abc"'],
    ['a flag', 'sha-256'],
    ['a list', `sha-256=(${contentDigest(body).slice(8)})`],
    ['a member twice', `${contentDigest('x')}, ${contentDigest(body)}`],
    ['no padding', contentDigest(body).replace(/=:$/, ':')],
    ['rubbish', '!'],
  ])('cannot be %s', (_, value) => {
    expect(withDigest(value)).toBe('digest-malformed')
  })

  test('may have parameters', () => {
    expect(withDigest(`${contentDigest(body)};x=1`)).toBe('ok')
  })
})

describe('a covered Digest', () => {
  const body = '{"query":"{ version }"}'
  const withDigest = (value: string): string =>
    judge(
      signed({ form: 'cavage', body, digest: false, headers: { Digest: value }, components: [...usualA, 'digest'] }),
    )

  test('is checked, every member of it', () => {
    expect(withDigest(digest(body))).toBe('ok')
    expect(withDigest(digest(body).replace('SHA', 'sha'))).toBe('ok')
    expect(withDigest(digest('x'))).toBe('digest-mismatch')
    expect(withDigest(`${digest(body)},SHA-512=AAAA`)).toBe('digest-mismatch')
    expect(withDigest(`SHA-512=AAAA, ${digest(body)}`)).toBe('digest-mismatch')
  })

  test.each([
    ['MD5=AAAA', 'digest-unsupported'],
    [`${digest(body)},SHA=AAAA`, 'digest-unsupported'],
    [`${digest(body)},${digest(body)}`, 'digest-malformed'],
    [`${digest(body)},`, 'digest-malformed'],
    [`${digest(body)};q=1`, 'digest-malformed'],
    ['SHA-256', 'digest-malformed'],
    ['SHA-256=', 'digest-malformed'],
    [digest(body).slice(0, -1), 'digest-malformed'],
    ['', 'digest-malformed'],
  ])('%j is refused', (value, reason) => {
    expect(withDigest(value)).toBe(reason)
  })
})

describe('requireDigest', () => {
  test('asks for one when there is a body, and only then', () => {
    for (const form of forms) {
      expect(judge(signed({ form, digest: false }))).toBe('ok')
      expect(judge(signed({ form, digest: false }), { requireDigest: true })).toBe('digest-required')
      expect(judge(signed({ form }), { requireDigest: true })).toBe('ok')
      expect(judge(signed({ form, method: 'GET', body: undefined }), { requireDigest: true })).toBe('ok')
    }
  })

  test('is what keeps a body of the same length from being exchanged', () => {
    const [first, second] = ['{"query":"mutation{deleteDevice(id:1)}"}', '{"query":"mutation{deleteDevice(id:2)}"}']
    for (const form of forms) {
      const undigested = { ...signed({ form, body: first, digest: false }), body: Buffer.from(second) }
      expect(judge(undigested)).toBe('ok')
      expect(judge(undigested, { requireDigest: true })).toBe('digest-required')
      expect(judge({ ...signed({ form, body: first }), body: Buffer.from(second) })).toBe('digest-mismatch')
    }
  })

  test('does not take one that is not covered', () => {
    const request = signed({ digest: false, headers: { 'Content-Digest': contentDigest('{"query":"{ version }"}') } })
    expect(judge(request)).toBe('ok')
    expect(judge(request, { requireDigest: true })).toBe('digest-required')
  })

  test('does not take one of a single member (RFC 9421 §2.1.2)', () => {
    const request = withHeader(signed(), 'signature-input', (value) =>
      value.replace('"content-digest"', '"content-digest";key="sha-256"'),
    )
    expect(judge(request, { requireDigest: true })).toBe('unsupported-component')
  })

  test('does not let a body be added or taken away', () => {
    const get = signed({ method: 'GET', body: undefined })
    expect(judge({ ...get, body: Buffer.from('x') }, { requireDigest: true })).toBe('digest-required')
    expect(judge({ ...signed(), body: undefined }, { requireDigest: true })).toBe('digest-mismatch')
    expect(judge({ ...signed(), body: undefined })).toBe('digest-mismatch')
  })
})

describe('what comes back', () => {
  test('coversBody says whether requireDigest would pass', () => {
    expect(verifyOne(signed())).toEqual({
      ok: true,
      keyId: 'AKEXAMPLE',
      created: now,
      nonce: undefined,
      coversBody: true,
    })
    expect(verifyOne(signed({ digest: false }))).toMatchObject({ ok: true, coversBody: false })
    expect(verifyOne(signed({ body: undefined }))).toMatchObject({ ok: true, coversBody: true })
    expect(verifyOne(signed({ nonce: 'once' }))).toMatchObject({ ok: true, nonce: 'once' })
  })
})

test('a covered content-length is the number of bytes, not of characters', () => {
  const body = 'é'
  const length = (value: string): string =>
    judge(signed({ body, headers: { 'Content-Length': value }, components: [...usual, 'content-length'] }))
  expect(length('2')).toBe('ok')
  for (const value of ['1', '02', '2.0', '+2', '2, 2', '']) expect(length(value)).toBe('length-mismatch')
})

test('Content-Length counts for nothing when it is not covered', () => {
  expect(judge(withMore(signed(), 'Content-Length', '1'))).toBe('ok')
})
