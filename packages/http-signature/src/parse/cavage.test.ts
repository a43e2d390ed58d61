import { describe, expect, test } from 'vitest'
import { formA, usualList, usualParameters, usualString } from '../../test/craft.ts'
import { now, nowAsDate, outcomeOf, signed, withHeader, withMore, without } from '../../test/fixtures.ts'

const key = 'keyId="AKEXAMPLE"'
const signature = 'signature="$"'
const times = (list: string): string =>
  `(request-target): post /graphql/v1\nhost: api.example.com\n${list
    .split(' ')
    .map((name) => `${name}: ${now}`)
    .join('\n')}`

describe('valid signatures in form A', () => {
  test.each([
    ['parameters in any order', `${signature},headers="${usualList}",algorithm="hmac-sha256",${key}`],
    ['no algorithm', `${key},headers="${usualList}",${signature}`],
    ['hs2019, which means the algorithm of the key', `${key},algorithm="hs2019",headers="${usualList}",${signature}`],
    ['the algorithm in uppercase', `${key},algorithm="HMAC-SHA256",headers="${usualList}",${signature}`],
    ['whitespace around commas and equals signs', `${key} , headers = "${usualList}" ,\t${signature}`],
    ['header names in uppercase', `${key},headers="(request-target) Host Date",${signature}`],
    ['unknown parameters', `${key},opaque="x, y",version=2,headers="${usualList}",${signature}`],
    ['a quoted comma and equals sign', `x="a,keyId=b",${key},headers="${usualList}",${signature}`],
    ['created quoted and not covered', `${key},created="1599000000",headers="${usualList}",${signature}`],
    ['created unquoted and not covered', `${key},created=1599000000,headers="${usualList}",${signature}`],
    ['a past expires that is not covered', `${key},expires=1,headers="${usualList}",${signature}`],
    ['created that is not a number and not covered', `${key},created="soon",headers="${usualList}",${signature}`],
  ])('accepts %s', (_, parameters) => {
    expect(outcomeOf(formA(parameters))).toBe('ok')
  })

  test.each(['Signature', 'signature', 'SIGNATURE'])('accepts the scheme %s', (scheme) => {
    const request = withHeader(formA(usualParameters), 'authorization', (value) => value.replace('Signature', scheme))
    expect(outcomeOf(request)).toBe('ok')
  })

  test('accepts parameters in a Signature header', () => {
    const value = formA(usualParameters).rawHeaders.at(-1)!.replace('Signature ', '')
    const bare = without(formA(usualParameters), 'authorization')
    expect(outcomeOf(withMore(bare, 'Signature', value))).toBe('ok')
    expect(outcomeOf(withMore(bare, 'Authorization', '', 'Signature', value))).toBe('ok')
  })

  test('accepts a date that ends in UTC', () => {
    const date = nowAsDate.replace('GMT', 'UTC')
    const request = formA(usualParameters, usualString.replace(nowAsDate, date), {
      headers: ['Host', 'api.example.com', 'Date', date],
    })
    expect(outcomeOf(request)).toBe('ok')
  })

  test.each(['1795163418', '"1795163418"'])('accepts covered times as %s under hs2019', (number) => {
    const list = '(request-target) host (created) (expires)'
    const parameters = `${key},algorithm="hs2019",created=${number},expires=${number},headers="${list}",${signature}`
    expect(outcomeOf(formA(parameters, times('(created) (expires)')))).toBe('ok')
  })

  test('verifies a covered header without a value as a space after the colon (cavage-12 §2.3)', () => {
    const parameters = `${key},headers="${usualList} x-empty",${signature}`
    const headers = ['Host', 'api.example.com', 'Date', nowAsDate, 'X-Empty', '']
    expect(outcomeOf(formA(parameters, `${usualString}\nx-empty: `, { headers }))).toBe('ok')
  })

  test('accepts an Ed25519 key under each of its algorithm names, and without a name', () => {
    for (const nameAlgorithm of [true, false]) {
      expect(outcomeOf(signed({ form: 'cavage', keyName: 'ed25519', nameAlgorithm }), { keyName: 'ed25519' })).toBe(
        'ok',
      )
    }
    for (const name of ['ed25519', 'ed25519-sha512', 'hs2019']) {
      const request = withHeader(signed({ form: 'cavage', keyName: 'ed25519' }), 'authorization', (value) =>
        value.replace('hs2019', name),
      )
      expect(outcomeOf(request, { keyName: 'ed25519' })).toBe('ok')
    }
  })
})

describe('covered components of form A', () => {
  test.each([
    ['no list (which means date to npm http-signature, and (created) in the draft)', `${key},${signature}`],
    ['only date', `${key},headers="date",${signature}`],
    ['no (request-target)', `${key},headers="host date",${signature}`],
    ['no host', `${key},headers="(request-target) date",${signature}`],
    ['no time', `${key},headers="(request-target) host",${signature}`],
    ['x-date as the time', `${key},headers="(request-target) host x-date",${signature}`],
    ['a parameter named host', `${key},host="x",headers="(request-target) date",${signature}`],
  ])('rejects %s', (_, parameters) => {
    const headers = ['Host', 'api.example.com', 'Date', nowAsDate, 'X-Date', nowAsDate]
    expect(outcomeOf(formA(parameters, usualString, { headers }))).toBe('not-covered')
  })
})

describe('invalid signatures in form A', () => {
  test.each([
    ['a parameter twice', `${key},${key},headers="${usualList}",${signature}`, 'duplicate-parameter'],
    [
      'a parameter twice in another case',
      `${key},KEYID="B",headers="${usualList}",${signature}`,
      'duplicate-parameter',
    ],
    ['an unknown parameter twice', `x=1,x=1,${key},headers="${usualList}",${signature}`, 'duplicate-parameter'],
    ['a header listed twice', `${key},headers="${usualList} host",${signature}`, 'duplicate-component'],
    ['a header listed twice in another case', `${key},headers="${usualList} Host",${signature}`, 'duplicate-component'],
    ['an empty list', `${key},headers="",${signature}`, 'malformed'],
    ['two spaces in the list', `${key},headers="(request-target)  host date",${signature}`, 'malformed'],
    ['a tab in the list', `${key},headers="(request-target)\thost date",${signature}`, 'malformed'],
    ['no key', `headers="${usualList}",${signature}`, 'missing-parameter'],
    ['no signature', `${key},headers="${usualList}"`, 'missing-parameter'],
    ['an empty signature', `${key},headers="${usualList}",signature=""`, 'malformed'],
    ['an empty key ID', `keyId="",headers="${usualList}",${signature}`, 'malformed'],
    ['a key ID with a quote in it', `keyId="AK\\"E",headers="${usualList}",${signature}`, 'malformed'],
    ['a quoted pair', `${key},headers="${usualList}",x="\\a",${signature}`, 'malformed'],
    ['a comma at the end', `${key},headers="${usualList}",${signature},`, 'malformed'],
    ['a comma at the beginning', `,${key},headers="${usualList}",${signature}`, 'malformed'],
    ['an unclosed quote', `${key},headers="${usualList}",${signature},x="`, 'malformed'],
    ['semicolons', `${key};headers="${usualList}";${signature}`, 'malformed'],
    ['nothing', '', 'malformed'],
    ['rsa-sha256', `${key},algorithm="rsa-sha256",headers="${usualList}",${signature}`, 'algorithm-unsupported'],
    ['hmac-sha1', `${key},algorithm="hmac-sha1",headers="${usualList}",${signature}`, 'algorithm-unsupported'],
    ['none', `${key},algorithm="none",headers="${usualList}",${signature}`, 'algorithm-unsupported'],
    [
      'an algorithm named constructor',
      `${key},algorithm="constructor",headers="${usualList}",${signature}`,
      'algorithm-unsupported',
    ],
    [
      'an algorithm other than the key’s',
      `${key},algorithm="ed25519",headers="${usualList}",${signature}`,
      'algorithm-mismatch',
    ],
    ['a missing header', `${key},headers="${usualList} digest",${signature}`, 'missing-header'],
    ['request-line', `${key},headers="${usualList} request-line",${signature}`, 'missing-header'],
    ['(keyid)', `${key},headers="${usualList} (keyid)",${signature}`, 'unsupported-component'],
    ['@method', `${key},headers="${usualList} @method",${signature}`, 'unsupported-component'],
    ['a signature in base64url', `${key},headers="${usualList}",signature="${'-'.repeat(43)}="`, 'malformed'],
    [
      'a signature of 31 bytes',
      `${key},headers="${usualList}",signature="${Buffer.alloc(31).toString('base64')}"`,
      'malformed',
    ],
    [
      'a signature with nonzero padding bits',
      `${key},headers="${usualList}",signature="${'A'.repeat(42)}B="`,
      'malformed',
    ],
    ['33 parameters', `${Array.from({ length: 33 }, (_, i) => `x${i}=1`).join()},${key}`, 'too-large'],
  ])('rejects %s', (_, parameters, reason) => {
    expect(outcomeOf(formA(parameters))).toBe(reason)
  })

  test.each(['(created)', '(expires)'])('rejects %s under the algorithm name hmac-sha256 (cavage-12 §2.3)', (name) => {
    const list = `(request-target) host date ${name}`
    const base = `${usualString}\n${name}: ${now}`
    const parameters = `${key},created=${now},expires=${now},headers="${list}",${signature}`
    expect(outcomeOf(formA(parameters, base))).toBe('ok')
    expect(outcomeOf(formA(`algorithm="hmac-sha256",${parameters}`, base))).toBe('unsupported-component')
  })

  test.each(['(created)', '(expires)'])('rejects %s that is covered but missing or not a ten-digit number', (name) => {
    const parameter = name.slice(1, -1)
    const list = `(request-target) host date ${name}`
    expect(outcomeOf(formA(`${key},headers="${list}",${signature}`, usualString))).toBe('missing-parameter')
    for (const number of ['"abc"', '1795163418.5', '"-1795163418"', '01795163418', '17951634180', '"1e9"', '""']) {
      const parameters = `${key},${parameter}=${number},headers="${list}",${signature}`
      expect(outcomeOf(formA(parameters, `${usualString}\n${name}: ${number.replaceAll('"', '')}`))).toBe('malformed')
    }
  })

  test.each([
    'Fri, 20 Nov 2026 08:30:18',
    'Fri, 20 Nov 2026 08:30:18 +0000',
    'Fri, 20 Nov 2026 09:30:18 CET',
    'Friday, 20-Nov-26 08:30:18 GMT',
    'Fri Nov 20 08:30:18 2026',
    '2026-11-20T08:30:18Z',
    'Fri, 31 Nov 2026 08:30:18 GMT',
    'Fri, 20 Nov 2026 24:30:18 GMT',
    'Fri, 20 Nov 2026 08:30:18 gmt',
    '1795163418',
    '',
  ])('rejects the date %j', (date) => {
    const headers = ['Host', 'api.example.com', 'Date', date]
    expect(outcomeOf(formA(usualParameters, usualString.replace(nowAsDate, date), { headers }))).toBe('malformed-date')
  })

  test('rejects an old covered date beside a fresh x-date that is not covered', () => {
    const old = 'Sun, 05 Jan 2014 21:31:40 GMT'
    const headers = ['Host', 'api.example.com', 'Date', old, 'X-Date', nowAsDate]
    expect(outcomeOf(formA(usualParameters, usualString.replace(nowAsDate, old), { headers }))).toBe('clock-skew')
  })

  test('rejects an old covered date beside a fresh created that is not covered', () => {
    const old = 'Sun, 05 Jan 2014 21:31:40 GMT'
    const headers = ['Host', 'api.example.com', 'Date', old]
    const request = formA(`created=${now},${usualParameters}`, usualString.replace(nowAsDate, old), { headers })
    expect(outcomeOf(request)).toBe('clock-skew')
  })

  test('rejects an old covered (created) beside a fresh date', () => {
    const old = now - 301
    const parameters = `${key},created=${old},headers="${usualList} (created)",${signature}`
    expect(outcomeOf(formA(parameters, `${usualString}\n(created): ${old}`))).toBe('clock-skew')
  })
})
