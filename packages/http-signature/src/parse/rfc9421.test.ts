import { describe, expect, test } from 'vitest'
import { formB, usualInput, usualLines } from '../../test/craft.ts'
import {
  now,
  nowAsDate,
  outcomeOf,
  type RequestWithBody,
  signed,
  withHeader,
  withMore,
  without,
} from '../../test/fixtures.ts'
import { parseSignature } from '../index.ts'

const list = '("@method" "@authority" "@path")'
const rest = `created=${now};keyid="AKEXAMPLE"`

describe('valid signatures in form B', () => {
  test.each([
    ['parameters in any order', `${list};keyid="AKEXAMPLE";alg="hmac-sha256";created=${now}`],
    ['components in any order', `("@path" "@authority" "@method");${rest}`, [2, 1, 0]],
    ['unknown parameters', `${list};${rest};tag="x";other=tok;more`],
    ['a named algorithm', `${list};${rest};alg="hmac-sha256"`],
    ['expires and a nonce', `${list};${rest};expires=${now};nonce="a;b\\"c"`],
  ])('accepts %s', (_, input, order: number[] = [0, 1, 2]) => {
    expect(outcomeOf(formB({ input, lines: order.map((i) => usualLines[i]!) }))).toBe('ok')
  })

  test('accepts spaces that structured fields allow, which are not in the signature base', () => {
    const input = `( "@method"   "@authority" "@path"  ); created=${now};  keyid="AKEXAMPLE"`
    expect(outcomeOf(formB({ input, signedInput: usualInput }))).toBe('ok')
    expect(outcomeOf(formB({ input }))).toBe('bad-signature')
  })

  test('accepts any label', () => {
    for (const label of ['sig1', 'pyhms', 'a', '*x', 'sig-b.2_5']) expect(outcomeOf(signed({ label }))).toBe('ok')
  })

  test('accepts an empty Authorization, covered or not', () => {
    expect(outcomeOf(withMore(formB({}), 'Authorization', ''))).toBe('ok')
    const input = `("@method" "@authority" "@path" "authorization");${rest}`
    const lines = [...usualLines, '"authorization": ']
    expect(outcomeOf(withMore(formB({ input, lines }), 'Authorization', ''))).toBe('ok')
  })

  test('accepts every supported derived component', () => {
    const components = ['@method', '@authority', '@scheme', '@target-uri', '@request-target', '@path', '@query']
    expect(outcomeOf(signed({ components }))).toBe('ok')
    expect(outcomeOf(signed({ components, url: 'http://api.example.com/graphql/v1' }))).toBe('ok')
    expect(outcomeOf(signed({ components, url: 'http://api.example.com/graphql/v1?' }))).toBe('ok')
  })

  test('verifies "@query" without a query as the question mark alone (RFC 9421 §2.2.7)', () => {
    const input = `("@method" "@authority" "@path" "@query");${rest}`
    expect(outcomeOf(formB({ input, lines: [...usualLines, '"@query": ?'] }))).toBe('ok')
    expect(outcomeOf(formB({ input, lines: [...usualLines, '"@query": '] }))).toBe('bad-signature')
  })

  test('returns the nonce of a signature', () => {
    const parsed = parseSignature(signed({ nonce: 'n-1' }))
    expect(parsed).toMatchObject({
      outcome: 'signed',
      signature: { nonce: 'n-1', keyId: 'AKEXAMPLE', created: now },
    })
  })
})

describe('covered components of form B', () => {
  const cover = (names: string, lines: string[], target = '/graphql/v1'): string =>
    outcomeOf(formB({ input: `(${names});${rest}`, lines }, { target }))
  const [method, authority, path] = usualLines as [string, string, string]

  test('requires a signature to cover the method, authority, and path', () => {
    expect(cover('', [])).toBe('not-covered')
    expect(cover('"@authority" "@path"', [authority, path])).toBe('not-covered')
    expect(cover('"@method" "@path"', [method, path])).toBe('not-covered')
    expect(cover('"@method" "@authority"', [method, authority])).toBe('not-covered')
    expect(cover('"@method" "host" "@path"', [method, '"host": api.example.com', path])).toBe('not-covered')
  })

  test('accepts a signature that covers the target URI, which contains the authority', () => {
    const targetUri = '"@target-uri": http://api.example.com/graphql/v1'
    expect(cover('"@method" "@target-uri"', [method, targetUri])).toBe('ok')
    const elsewhere = '"@target-uri": http://evil.example/graphql/v1'
    expect(cover('"@method" "@target-uri"', [method, elsewhere])).toBe('bad-signature')
  })

  test('requires a signature to cover the query if the target has one', () => {
    const names = '"@method" "@authority" "@path"'
    expect(cover(names, usualLines, '/graphql/v1?a=1')).toBe('not-covered')
    expect(cover(names, usualLines, '/graphql/v1?')).toBe('not-covered')
    expect(cover(`${names} "@query"`, [...usualLines, '"@query": ?a=1'], '/graphql/v1?a=1')).toBe('ok')
    const requestTarget = [method, authority, '"@request-target": /graphql/v1?a=1']
    expect(cover('"@method" "@authority" "@request-target"', requestTarget, '/graphql/v1?a=1')).toBe('ok')
    const targetUri = [method, authority, '"@target-uri": http://api.example.com/graphql/v1?a=1']
    expect(cover('"@method" "@authority" "@target-uri"', targetUri, '/graphql/v1?a=1')).toBe('ok')
  })

  test('requires the parameter created, even with expires or a covered date', () => {
    expect(outcomeOf(formB({ input: `${list};keyid="AKEXAMPLE"` }))).toBe('not-covered')
    expect(outcomeOf(formB({ input: `${list};keyid="AKEXAMPLE";expires=${now + 60}` }))).toBe('not-covered')
    const withDate = {
      input: '("@method" "@authority" "@path" "date");keyid="AKEXAMPLE"',
      lines: [...usualLines, `"date": ${nowAsDate}`],
    }
    expect(outcomeOf(formB(withDate))).toBe('not-covered')
  })

  test.each(['"@method";req', '"@authority";sf', '"@path";bs', '"date";key="a"', '"date";tr', '"date";new'])(
    'rejects %s, because components with parameters are not supported',
    (name) => {
      const input = `("@method" "@authority" "@path" ${name});${rest}`
      expect(outcomeOf(formB({ input, lines: [...usualLines, `${name}: ${nowAsDate}`] }))).toBe('unsupported-component')
    },
  )
})

describe('invalid signatures in form B', () => {
  test.each([
    ['a component twice', '("@method" "@authority" "@path" "@path")', 'duplicate-component'],
    ['@signature-params', '("@method" "@authority" "@path" "@signature-params")', 'unsupported-component'],
    ['@status', '("@method" "@authority" "@path" "@status")', 'unsupported-component'],
    ['@query-param', '("@method" "@authority" "@path" "@query-param";name="a")', 'unsupported-component'],
    ['an unknown derived component', '("@method" "@authority" "@path" "@owner")', 'unsupported-component'],
    ['a name in uppercase', '("@method" "@authority" "@path" "Date")', 'unsupported-component'],
    ['an empty name', '("@method" "@authority" "@path" "")', 'unsupported-component'],
    ['a form A name', '("@method" "@authority" "@path" "(request-target)")', 'unsupported-component'],
    ['a token as a component', '("@method" "@authority" "@path" date)', 'malformed'],
    ['a missing header', '("@method" "@authority" "@path" "digest")', 'missing-header'],
    [
      '21 components',
      `("@method" "@authority" "@path" ${Array.from({ length: 18 }, (_, i) => `"x${i}"`).join(' ')})`,
      'too-large',
    ],
  ])('rejects a signature that covers %s', (_, components, reason) => {
    expect(outcomeOf(formB({ input: `${components};${rest}` }))).toBe(reason)
  })

  test.each([
    ['created as a string', `${list};created="${now}";keyid="AKEXAMPLE"`, 'malformed'],
    ['created as a word', `${list};created="abc";keyid="AKEXAMPLE"`, 'malformed'],
    ['created as a token', `${list};created=abc;keyid="AKEXAMPLE"`, 'malformed'],
    ['created as a flag', `${list};created;keyid="AKEXAMPLE"`, 'malformed'],
    ['created as a date', `${list};created=@${now};keyid="AKEXAMPLE"`, 'malformed'],
    ['created as a decimal', `${list};created=${now}.0;keyid="AKEXAMPLE"`, 'malformed'],
    ['created with a leading zero', `${list};created=0${now};keyid="AKEXAMPLE"`, 'malformed'],
    ['created in milliseconds', `${list};created=${now}000;keyid="AKEXAMPLE"`, 'malformed'],
    ['a negative created', `${list};created=-${now};keyid="AKEXAMPLE"`, 'malformed'],
    ['expires as a string', `${list};${rest};expires="never"`, 'malformed'],
    ['created twice', `${list};created=1;${rest}`, 'malformed'],
    ['keyid twice', `${list};keyid="B";${rest}`, 'malformed'],
    ['no keyid', `${list};created=${now}`, 'missing-parameter'],
    ['keyid as a token', `${list};created=${now};keyid=AKEXAMPLE`, 'malformed'],
    ['keyid with a space', `${list};created=${now};keyid="AK EXAMPLE"`, 'malformed'],
    ['alg as a token', `${list};${rest};alg=hmac-sha256`, 'malformed'],
    ['alg rsa-pss-sha512', `${list};${rest};alg="rsa-pss-sha512"`, 'algorithm-unsupported'],
    ['alg hs2019', `${list};${rest};alg="hs2019"`, 'algorithm-unsupported'],
    ['alg in uppercase', `${list};${rest};alg="HMAC-SHA256"`, 'algorithm-unsupported'],
    ['an alg other than the key’s', `${list};${rest};alg="ed25519"`, 'algorithm-mismatch'],
    ['a nonce that is not a string', `${list};${rest};nonce=1`, 'malformed'],
    ['a nonce of 257 characters', `${list};${rest};nonce="${'n'.repeat(257)}"`, 'too-large'],
    ['no list', `"@method";${rest}`, 'malformed'],
    ['an unclosed list', `("@method" "@authority" "@path"`, 'malformed'],
    ['text after the list', `${usualInput} x`, 'malformed'],
  ])('rejects %s', (_, input, reason) => {
    expect(outcomeOf(formB({ input }))).toBe(reason)
  })

  test('rejects a header named @method instead of the derived component (RFC 9421 §7.5.1)', () => {
    const lines = ['"@method": GET', ...usualLines.slice(1)]
    expect(outcomeOf(formB({ lines }, { headers: ['Host', 'api.example.com', '@method', 'GET'] }))).toBe(
      'bad-signature',
    )
  })

  test.each([
    ['Signature', 'signature-input', 'malformed'],
    ['Signature-Input', 'signature', 'malformed'],
  ])('rejects %s without the other header', (_, removed, reason) => {
    expect(outcomeOf(without(formB({}), removed))).toBe(reason)
  })

  test.each([
    ['another label', (value: string) => value.replace('sig=', 'sig2=')],
    ['the label twice', (value: string) => `${value}, ${value}`],
    ['a string', () => 'sig="text"'],
    ['a flag', () => 'sig'],
    ['a list', (value: string) => `sig=(${value.slice(4)})`],
    ['nonzero padding bits', () => `sig=:${'A'.repeat(42)}B=:`],
    ['no padding', () => `sig=:${'A'.repeat(43)}:`],
    ['31 bytes', () => `sig=:${Buffer.alloc(31).toString('base64')}:`],
    ['an empty byte sequence', () => 'sig=::'],
    ['a missing end', (value: string) => value.slice(0, -1)],
  ])('rejects a Signature with %s', (_, change) => {
    expect(outcomeOf(withHeader(formB({}), 'signature', change))).toBe('malformed')
  })

  test('rejects characters other than printable ASCII and tabs in a covered value (RFC 9421 §2.5)', () => {
    const input = `("@method" "@authority" "@path" "x");${rest}`
    for (const value of ['caf\u00e9', 'a\u0000b', 'a\u007fb']) {
      const request = formB(
        { input, lines: [...usualLines, `"x": ${value}`] },
        { headers: ['Host', 'api.example.com', 'X', value] },
      )
      expect(outcomeOf(request)).toBe('malformed-header')
    }
  })
})

describe('a request with several signatures', () => {
  const other = `("@method");created=${now};keyid="PROXY"`
  const bytes = `:${Buffer.alloc(64).toString('base64')}:`
  const both = (input: (value: string) => string, signature: (value: string) => string): RequestWithBody =>
    withHeader(withHeader(formB({}), 'signature-input', input), 'signature', signature)

  test.each([
    [
      'after the valid one',
      both(
        (value) => `${value}, proxy=${other}`,
        (value) => `${value}, proxy=${bytes}`,
      ),
    ],
    [
      'before the valid one',
      both(
        (value) => `proxy=${other}, ${value}`,
        (value) => `proxy=${bytes}, ${value}`,
      ),
    ],
    ['on a second line', withMore(formB({}), 'Signature-Input', `proxy=${other}`, 'Signature', `proxy=${bytes}`)],
    [
      'only in Signature-Input',
      both(
        (value) => `${value}, proxy=${other}`,
        (value) => value,
      ),
    ],
  ])('is rejected if the other signature is %s', (_, request) => {
    expect(outcomeOf(request)).toBe('several-signatures')
  })
})
