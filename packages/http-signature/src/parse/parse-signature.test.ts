import { describe, expect, test } from 'vitest'
import { formA, formB, usualParameters } from '../../test/craft.ts'
import {
  nowAsDate,
  outcomeOf,
  type RequestWithBody,
  signed,
  withHeader,
  withMore,
  without,
} from '../../test/fixtures.ts'
import { parseSignature } from '../index.ts'

const bare: RequestWithBody = { method: 'POST', target: '/graphql/v1', rawHeaders: ['Host', 'api.example.com'] }

describe('a request without a signature', () => {
  test.each([
    ['nothing', []],
    ['an empty Authorization', ['Authorization', '']],
    ['an empty Signature', ['Signature', '']],
    ['Basic', ['Authorization', 'Basic YTpi']],
    ['Bearer', ['Authorization', 'Bearer keyId="x"']],
    ['a scheme with the same prefix', ['Authorization', 'SignatureX keyId="x"']],
    ['other credentials twice', ['Authorization', 'Basic YTpi', 'Authorization', 'Basic YTpi']],
  ])('finds no signature in %s', (_, headers) => {
    expect(outcomeOf(withMore(bare, ...headers))).toBe('none')
  })

  test('ignores Basic credentials next to form B', () => {
    expect(outcomeOf(withMore(formB({}), 'Authorization', 'Basic YTpi'))).toBe('ok')
  })
})

describe('credentials in more than one place', () => {
  const parameters = usualParameters.replace('$', Buffer.alloc(32).toString('base64'))

  test.each([
    ['form B and form A', withMore(formB({}), 'Authorization', `Signature ${parameters}`)],
    ['form B and an empty form A', withMore(formB({}), 'Authorization', 'Signature')],
    ['form A and an empty Signature-Input', withMore(formA(usualParameters), 'Signature-Input', '')],
    ['form A and a malformed Signature-Input', withMore(formA(usualParameters), 'Signature-Input', '!')],
    ['form A in both of its headers', withMore(formA(usualParameters), 'Signature', parameters)],
    ['form A and a Signature of form B', withMore(formA(usualParameters), 'Signature', 'sig=:AAAA:')],
    ['form B and form A in one Signature', withHeader(formB({}), 'signature', () => parameters)],
    ['form B and form A in two Signatures', withMore(formB({}), 'Signature', parameters)],
  ])('rejects %s', (_, request) => {
    expect(outcomeOf(request)).toBe('both-forms')
  })
})

describe('a repeated header', () => {
  test.each(['Host', 'Authorization', 'Date', 'Digest', 'Content-Digest', 'Content-Type', 'Content-Length'])(
    'is rejected: %s',
    (name) => {
      for (const request of [formA(usualParameters), formB({})]) {
        expect(outcomeOf(withMore(request, name, 'x', name.toUpperCase(), 'x'))).toBe('duplicate-header')
      }
    },
  )

  test('rejects a second Authorization or Host header', () => {
    expect(outcomeOf(withMore(formA(usualParameters), 'authorization', ''))).toBe('duplicate-header')
    expect(outcomeOf(withMore(formA(usualParameters), 'host', 'api.example.com'))).toBe('duplicate-header')
  })

  test('rejects a second Signature in form A', () => {
    const value = formA(usualParameters).rawHeaders.at(-1)!.replace('Signature ', '')
    const request = withMore(without(formA(usualParameters), 'authorization'), 'Signature', value)
    expect(outcomeOf(request)).toBe('ok')
    expect(outcomeOf(withMore(request, 'Signature', value))).toBe('duplicate-header')
  })

  test('rejects a second value of a custom header only if the header is covered', () => {
    const components = ['@method', '@authority', '@target-uri', 'x-mine']
    const request = signed({ components, headers: { 'X-Mine': 'a' } })
    expect(outcomeOf(request)).toBe('ok')
    expect(outcomeOf(withMore(request, 'x-mine', 'a'))).toBe('duplicate-header')
    expect(outcomeOf(withMore(request, 'x-mine', ''))).toBe('duplicate-header')
    expect(outcomeOf(withMore(request, 'x-other', 'a', 'x-other', 'b'))).toBe('ok')
  })
})

describe('the request target', () => {
  test.each([
    'http://evil.example/graphql/v1',
    'api.example.com:443',
    '*',
    '',
    'graphql/v1',
    '?a=1',
    '/graphql/v1#a',
    '/graphql /v1',
    '/graphql/\u00e9',
    '/graphql\n',
  ])('rejects %j, which is not in origin form', (target) => {
    expect(outcomeOf({ ...formA(usualParameters), target })).toBe('target-form')
    expect(outcomeOf({ ...formB({}), target })).toBe('target-form')
  })

  test('verifies the request target as received, without decoding or normalization', () => {
    const url = 'http://api.example.com:4000/a%2fb/~x//c?x=%41&x=+'
    for (const form of ['cavage', 'rfc9421'] as const) {
      const request = signed({ form, url })
      expect(request.target).toBe(url.slice('http://api.example.com:4000'.length))
      expect(outcomeOf(request)).toBe('ok')
      for (const target of [request.target.replace('%2f', '%2F'), request.target.replace('%41', 'A')]) {
        expect(outcomeOf({ ...request, target })).toBe('bad-signature')
      }
    }
  })

  test.each(['PO ST', 'post', ''])('rejects the method %j, which is not an uppercase token', (method) => {
    expect(outcomeOf({ ...formA(usualParameters), method })).toBe('malformed')
    expect(outcomeOf({ ...formB({}), method })).toBe('malformed')
  })
})

describe('the Host header', () => {
  test.each([
    '',
    'user@api.example.com',
    'api.example.com/',
    'api.example.com:',
    'api.example.com:port',
    'a b',
    'a:1:2',
    '[::1',
  ])('rejects %j', (host) => {
    expect(outcomeOf(withHeader(formB({}), 'host', () => host))).toBe('malformed-host')
  })

  test('rejects a request without a Host header', () => {
    expect(outcomeOf(without(formB({}), 'host'))).toBe('missing-header')
    expect(outcomeOf(without(formA(usualParameters), 'host'))).toBe('missing-header')
  })
})

describe('limits of the parser', () => {
  test('limits headers to 16 KiB', () => {
    const padding = (length: number): string[] => ['X-Padding', 'x'.repeat(length)]
    expect(outcomeOf(withMore(formB({}), ...padding(15 * 1024)))).toBe('ok')
    expect(outcomeOf(withMore(formB({}), ...padding(16 * 1024)))).toBe('too-large')
  })

  test('limits credentials to 4 KiB', () => {
    expect(outcomeOf(formA(`x="${'x'.repeat(3800)}",${usualParameters}`))).toBe('ok')
    expect(outcomeOf(formA(`x="${'x'.repeat(4100)}",${usualParameters}`))).toBe('too-large')
    expect(outcomeOf(withHeader(formB({}), 'signature-input', (value) => `${value};x="${'x'.repeat(4100)}"`))).toBe(
      'too-large',
    )
    expect(
      outcomeOf(
        withMore(
          formB({}),
          ...Array(3)
            .fill(['Signature-Input', 'x'.repeat(2000)])
            .flat(),
        ),
      ),
    ).toBe('too-large')
  })

  test('limits key IDs to 128 characters', () => {
    for (const form of ['cavage', 'rfc9421'] as const) {
      const request = signed({ form, keyId: 'k'.repeat(128) })
      const name = form === 'cavage' ? 'authorization' : 'signature-input'
      expect(outcomeOf(request)).toBe('ok')
      expect(outcomeOf(withHeader(request, name, (value) => value.replace('"k', '"kk')))).toBe('malformed')
    }
  })
})

test('includes the key ID in a failure if the key ID was parsed before the error', () => {
  const covering = withHeader(formB({}), 'signature-input', (value) => value.replace('"@path"', '"@path" "digest"'))
  expect(parseSignature(covering)).toMatchObject({ outcome: 'failed', reason: 'missing-header', keyId: 'AKEXAMPLE' })
  expect(parseSignature(formA('keyId="AKEXAMPLE",headers="date",signature="$"'))).toEqual({
    outcome: 'failed',
    reason: 'not-covered',
    message: expect.any(String),
    keyId: 'AKEXAMPLE',
  })
  expect(parseSignature(formB({ input: '();keyid="AKEXAMPLE"' }))).toMatchObject({
    reason: 'not-covered',
    keyId: 'AKEXAMPLE',
  })
  expect(parseSignature(formA('keyId="AKEXAMPLE"', '', { headers: ['Date', nowAsDate] }))).toMatchObject({
    keyId: undefined,
  })
})

test('ignores whitespace around a header value', () => {
  const request = signed({ form: 'cavage' })
  expect(outcomeOf(withHeader(request, 'content-type', (value) => ` \t${value}\t `))).toBe('ok')
  expect(outcomeOf(withHeader(request, 'host', (value) => ` ${value} `))).toBe('ok')
})
