import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joyent } from '../test/clients.ts'
import { now, outcomeOf, type RequestWithBody, sharedSecret, signed, verificationKeys } from '../test/fixtures.ts'
import { parseSignature, type ReceivedRequest, signatureReasons, verifySignature } from './index.ts'

const words = new Set(['ok', 'none', ...Object.keys(signatureReasons)])
const seeds = (['cavage', 'rfc9421'] as const).flatMap((form) => [
  signed({ form }),
  signed({ form, keyName: 'ed25519', expires: now + 60 }),
])

const fragment = fc.oneof(
  fc.constantFrom(
    '"',
    '\\',
    ',',
    ';',
    '=',
    ':',
    '(',
    ')',
    ' ',
    '\t',
    '\n',
    '\0',
    '%"',
    '?1',
    '@1',
    '-',
    '1.5',
    'é',
    '=:',
    '__proto__',
  ),
  fc.constantFrom(
    'Signature ',
    'keyId="A"',
    'headers=""',
    'created=1795163418',
    ';created',
    '"@method"',
    'sha-256=:AA==:',
    ';key="a"',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)

const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat(12), insert: fragment })

function apply(text: string, { at, remove, insert }: { at: number; remove: number; insert: string }): string {
  const start = Math.floor(at * (text.length + 1))
  return text.slice(0, start) + insert + text.slice(start + remove)
}

test('returns a documented outcome for every request, without an exception', { timeout: 120_000 }, () => {
  const request = fc.record({
    seed: fc.constantFrom(...seeds),
    edits: fc.array(fc.record({ where: fc.nat(40), edit }), { minLength: 1, maxLength: 4 }),
  })
  fc.assert(
    fc.property(request, ({ seed, edits }) => {
      const parts = [seed.target, ...seed.rawHeaders]
      for (const { where, edit } of edits) parts[where % parts.length] = apply(parts[where % parts.length]!, edit)
      const [target, ...rawHeaders] = parts
      expect(words).toContain(outcomeOf({ ...seed, target: target!, rawHeaders }))
    }),
    { numRuns: 3000 },
  )
})

test('returns a documented outcome for all header values, without an exception', { timeout: 120_000 }, () => {
  const name = fc.constantFrom(
    'Host',
    'Authorization',
    'Signature',
    'Signature-Input',
    'Date',
    'Digest',
    'Content-Digest',
    'X',
  )
  const header = fc.tuple(
    name,
    fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(fc.array(header, { maxLength: 8 }), fc.string(), (headers, method) => {
      const request: ReceivedRequest = { method, target: '/', rawHeaders: ['Host', 'a', ...headers.flat()] }
      expect(words).toContain(outcomeOf({ ...request, body: Buffer.from('x') }))
    }),
    { numRuns: 3000 },
  )
})

// An attacker who has a valid key can sign any digest header.
test('returns a documented outcome for any text after a digest, without an exception', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 10 }), fc.constantFrom('cavage', 'rfc9421'), (parts, form) => {
      const value = `sha-256=:AAAA:${parts.join('').replace(/[^\t\x20-\x7e]/g, '')}`
      const request =
        form === 'cavage'
          ? signed({
              form,
              digest: false,
              headers: { Digest: value },
              components: ['(request-target)', 'host', 'date', 'digest'],
            })
          : signed({
              digest: false,
              headers: { 'Content-Digest': value },
              components: ['@method', '@authority', '@target-uri', 'content-digest'],
            })
      expect(['digest-malformed', 'digest-unsupported', 'digest-mismatch']).toContain(outcomeOf(request))
    }),
    { numRuns: 500 },
  )
})

const anyText = fc.stringMatching(/^[ !#-[\]-~]{0,20}$/)
const name = fc.stringMatching(/^[a-z]{1,6}$/).filter((text) => !['keyid', 'headers'].includes(text))
const extra = fc.oneof(
  fc.tuple(name, anyText).map(([key, value]) => `${key}="${value}"`),
  fc.tuple(name, fc.nat()).map(([key, value]) => `${key}=${value}`),
)

// The oracle is npm http-signature. Unlike `parseSignature`, it accepts duplicate parameters and a trailing comma.
test('interprets form A in the same way as npm http-signature if both can parse it', { timeout: 120_000 }, () => {
  const original = signed({ form: 'cavage', created: Math.floor(Date.now() / 1000) })
  const at = original.rawHeaders.indexOf('Authorization') + 1
  const own = original.rawHeaders[at]!.slice('Signature '.length).match(/[a-zA-Z]+="[^"]*"/g)!
  const parameters = fc
    .tuple(fc.array(extra, { maxLength: 4 }), fc.subarray(own, { minLength: 3 }))
    .chain(([more, kept]) => fc.shuffledSubarray([...more, ...kept], { minLength: more.length + kept.length }))
  fc.assert(
    fc.property(parameters, fc.option(edit, { freq: 2 }), (list, change) => {
      const text = change === null ? list.join(',') : apply(list.join(','), change)
      const rawHeaders = original.rawHeaders.with(at, `Signature ${text}`)
      compare({ ...original, rawHeaders })
    }),
    { numRuns: 3000 },
  )
})

function compare(request: RequestWithBody): void {
  const time = Math.floor(Date.now() / 1000)
  const parsed = parseSignature(request)
  const oracle = parseWithOracle(request)
  if (parsed.outcome === 'signed') {
    const { signature: ours } = parsed
    const outcome = verifySignature(ours, {
      key: verificationKeys.hmac,
      requireDigest: false,
      body: request.body,
      now: time,
    })
    // Skip requests that only the oracle rejects: it requires the algorithm, rejects spaces between parameters, and
    // supports only letters in parameter names.
    if (oracle === undefined) return
    expect(ours.keyId).toBe(oracle.params.keyId)
    expect(ours.components).toEqual(oracle.params.headers)
    expect(ours.signature.toString('base64')).toBe(oracle.params.signature)
    expect(outcome.ok).toBe(joyent.verifyHMAC(oracle, sharedSecret))
  } else if (oracle !== undefined && joyent.verifyHMAC(oracle, sharedSecret)) {
    expect(parsed).toMatchObject({
      reason: expect.toSatisfy((reason) => ['duplicate-parameter', 'malformed'].includes(reason)),
    })
  }
}

function parseWithOracle({
  method,
  target,
  rawHeaders,
}: RequestWithBody): ReturnType<typeof joyent.parseRequest> | undefined {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i]!.toLowerCase()] = rawHeaders[i + 1]!
  try {
    return joyent.parseRequest(
      { method, url: target, headers, httpVersion: '1.1' },
      { headers: ['(request-target)', 'host', 'date'] },
    )
  } catch {
    return undefined
  }
}
