import { describe, expect, test } from 'vitest'
import {
  type Draft,
  type KeyName,
  now,
  outcomeOf,
  type RequestWithBody,
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

/** Returns the whole outcome of a verification, unlike `outcomeOf`, which returns only `ok` or the reason. */
function verifyOne(request: RequestWithBody, options: Partial<VerifyOptions> = {}) {
  const parsed = parseSignature(request)
  if (parsed.outcome !== 'signed') throw new Error(`expected a signed request, but the outcome is ${parsed.outcome}`)
  return verifySignature(parsed.signature, {
    key: verificationKeys.hmac,
    requireDigest: false,
    body: request.body,
    now,
    ...options,
  })
}

describe.each(forms)('the time of form %s', (form) => {
  const at = (created: number, extra: Draft = {}): RequestWithBody => signed({ form, created, ...extra })

  test("may differ from the server's clock by clockSkew, which is 300 s by default, in both directions", () => {
    expect(outcomeOf(at(now - 300))).toBe('ok')
    expect(outcomeOf(at(now + 300))).toBe('ok')
    expect(outcomeOf(at(now - 301))).toBe('clock-skew')
    expect(outcomeOf(at(now + 301))).toBe('clock-skew')
    expect(outcomeOf(at(now - 60), { clockSkew: 60 })).toBe('ok')
    expect(outcomeOf(at(now - 61), { clockSkew: 60 })).toBe('clock-skew')
  })

  test('is rejected if the verifier has no valid clock', () => {
    expect(outcomeOf(at(now), { now: Number.NaN })).toBe('clock-skew')
  })

  test('appears as an age in the message of the rejection', () => {
    expect(verifyOne(at(now - 812))).toEqual({
      ok: false,
      reason: 'clock-skew',
      message: expect.stringContaining('812 s ago'),
    })
  })

  test('is rejected if a covered expires is in the past', () => {
    expect(outcomeOf(at(now - 10, { expires: now }))).toBe('ok')
    expect(outcomeOf(at(now - 10, { expires: now - 1 }))).toBe('expired')
    expect(outcomeOf(at(now - 301, { expires: now + 60 }))).toBe('clock-skew')
  })
})

describe('the key of a signature', () => {
  test.each(forms)('determines the algorithm in form %s', (form) => {
    for (const signer of keyNames) {
      for (const nameAlgorithm of [true, false]) {
        const request = signed({ form, keyName: signer, nameAlgorithm })
        for (const keyName of keyNames) {
          expect(outcomeOf(request, { keyName })).toBe(signer === keyName ? 'ok' : 'bad-signature')
        }
      }
    }
  })

  test('is rejected if it is an HMAC secret with the bytes of the Ed25519 public key', () => {
    const secret = Buffer.from('26b40b8f93fff3d897112f7ebc582b232dbd72517d082fe83cfb30ddce43d1bb', 'hex')
    const request = signed({ keyName: 'ed25519' })
    expect(outcomeOf(request, { key: { algorithm: 'hmac-sha256', secret } })).toBe('bad-signature')
  })

  test('produces the same outcome as a wrong signature if it is unknown', () => {
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

  test('is necessary to learn about problems with the body', () => {
    const request = { ...signed({ digest: false }), body: Buffer.from('other') }
    expect(outcomeOf(request, { requireDigest: true })).toBe('digest-required')
    expect(outcomeOf(request, { requireDigest: true, key: undefined })).toBe('bad-signature')
    const mismatch = { ...signed(), body: Buffer.from('other') }
    expect(outcomeOf(mismatch)).toBe('digest-mismatch')
    expect(outcomeOf(mismatch, { key: undefined })).toBe('bad-signature')
  })

  const other = (keyName: KeyName): KeyName => (keyName === 'hmac' ? 'ed25519' : 'hmac')
})

describe('a covered Content-Digest', () => {
  const body = '{"query":"{ version }"}'
  const sha512 = 'sha-512=:Ey2rdfjPiUYYRZBRnF7kt7VSGbZEEgkvHBHc2ipFhcUXjgdiJxSYUuhqBHLUuVA46Q/kUZXTbF0ph2C0kKVZ3w==:'
  const withDigest = (value: string): string =>
    outcomeOf(
      signed({ body, digest: false, headers: { 'Content-Digest': value }, components: [...usual, 'content-digest'] }),
    )

  test('must match the body in every member', () => {
    expect(withDigest(contentDigest(body))).toBe('ok')
    expect(withDigest(contentDigest(`${body} `))).toBe('digest-mismatch')
    expect(withDigest(`${contentDigest(body)}, ${sha512}`)).toBe('digest-mismatch')
    expect(withDigest(sha512)).toBe('digest-mismatch')
  })

  test.each(['md5', 'sha', 'unixsum', 'unixcksum', 'adler', 'crc32c', 'sha-257', 'constructor'])(
    'must not have a member with the algorithm %s',
    (name) => {
      expect(withDigest(`${name}=:AAAA:`)).toBe('digest-unsupported')
      expect(withDigest(`${contentDigest(body)}, ${name}=:AAAA:`)).toBe('digest-unsupported')
    },
  )

  test.each([
    ['nothing', ''],
    ['a Digest value', digest(body)],
    ['a string', 'sha-256="abc"'],
    ['a flag', 'sha-256'],
    ['a list', `sha-256=(${contentDigest(body).slice(8)})`],
    ['a member twice', `${contentDigest('x')}, ${contentDigest(body)}`],
    ['no padding', contentDigest(body).replace(/=:$/, ':')],
    ['punctuation', '!'],
  ])('is rejected as malformed: %s', (_, value) => {
    expect(withDigest(value)).toBe('digest-malformed')
  })

  test('may have parameters', () => {
    expect(withDigest(`${contentDigest(body)};x=1`)).toBe('ok')
  })
})

describe('a covered Digest', () => {
  const body = '{"query":"{ version }"}'
  const withDigest = (value: string): string =>
    outcomeOf(
      signed({ form: 'cavage', body, digest: false, headers: { Digest: value }, components: [...usualA, 'digest'] }),
    )

  test('must match the body in every member', () => {
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
  ])('rejects %j', (value, reason) => {
    expect(withDigest(value)).toBe(reason)
  })
})

describe('requireDigest', () => {
  test('requires a digest only if there is a body', () => {
    for (const form of forms) {
      expect(outcomeOf(signed({ form, digest: false }))).toBe('ok')
      expect(outcomeOf(signed({ form, digest: false }), { requireDigest: true })).toBe('digest-required')
      expect(outcomeOf(signed({ form }), { requireDigest: true })).toBe('ok')
      expect(outcomeOf(signed({ form, method: 'GET', body: undefined }), { requireDigest: true })).toBe('ok')
    }
  })

  test('protects against another body of the same length', () => {
    const [first, second] = ['{"query":"mutation{deleteDevice(id:1)}"}', '{"query":"mutation{deleteDevice(id:2)}"}']
    for (const form of forms) {
      const undigested = { ...signed({ form, body: first, digest: false }), body: Buffer.from(second) }
      expect(outcomeOf(undigested)).toBe('ok')
      expect(outcomeOf(undigested, { requireDigest: true })).toBe('digest-required')
      expect(outcomeOf({ ...signed({ form, body: first }), body: Buffer.from(second) })).toBe('digest-mismatch')
    }
  })

  test('rejects a digest that is not covered', () => {
    const request = signed({ digest: false, headers: { 'Content-Digest': contentDigest('{"query":"{ version }"}') } })
    expect(outcomeOf(request)).toBe('ok')
    expect(outcomeOf(request, { requireDigest: true })).toBe('digest-required')
  })

  test('rejects a signature that covers a single member of a digest (RFC 9421 §2.1.2)', () => {
    const request = withHeader(signed(), 'signature-input', (value) =>
      value.replace('"content-digest"', '"content-digest";key="sha-256"'),
    )
    expect(outcomeOf(request, { requireDigest: true })).toBe('unsupported-component')
  })

  test('rejects an added or removed body', () => {
    const get = signed({ method: 'GET', body: undefined })
    expect(outcomeOf({ ...get, body: Buffer.from('x') }, { requireDigest: true })).toBe('digest-required')
    expect(outcomeOf({ ...signed(), body: undefined }, { requireDigest: true })).toBe('digest-mismatch')
    expect(outcomeOf({ ...signed(), body: undefined })).toBe('digest-mismatch')
  })
})

describe('the outcome of a verification', () => {
  test('contains coversBody, which shows whether the body is authentic', () => {
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

test('compares a covered content-length with the number of bytes, not of characters', () => {
  const body = 'é'
  const length = (value: string): string =>
    outcomeOf(signed({ body, headers: { 'Content-Length': value }, components: [...usual, 'content-length'] }))
  expect(length('2')).toBe('ok')
  for (const value of ['1', '02', '2.0', '+2', '2, 2', '']) expect(length(value)).toBe('length-mismatch')
})

test('ignores a Content-Length that is not covered', () => {
  expect(outcomeOf(withMore(signed(), 'Content-Length', '1'))).toBe('ok')
})
