import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAny, readPlain } from './structured-field.ts'

const key = fc.constantFrom('sig1', 'sha-256', '*', 'a', 'b.c', 'Sig', '1', '')
const text = fc.constantFrom('"@method"', '""', '"a b"', '"a\\"b"', '"a\tb"', '"é"', '"a', '"@path";req', 'token')
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 6 }).map((each) => `:${Buffer.from(each).toString('base64')}:`),
  fc.constantFrom(':AB==:', ':AAB=:', ':AA:', ':A===:', ':AA==', ':A-_=:', ':AAAA', '?1', '1.0'),
)
const number = fc.constantFrom('0', '1', '01', '-1', '1795163418', '1.0', '999999999999999', '1000000000000000')
const parameter = fc
  .tuple(key, fc.oneof(text, number, bytes, fc.constant('')))
  .map(([name, value]) => (value === '' ? `;${name}` : `;${name}=${value}`))
const list = fc
  .tuple(fc.array(text, { maxLength: 3 }), fc.constantFrom(' ', '  ', '', '\t'), fc.array(parameter, { maxLength: 3 }))
  .map(([items, space, parameters]) => `(${items.join(space)})${parameters.join('')}`)
const dictionary = fc
  .tuple(
    fc.array(
      fc.tuple(key, fc.oneof(bytes, list)).map(([name, value]) => `${name}=${value}`),
      { maxLength: 3 },
    ),
    fc.constantFrom(', ', ',', ' , ', ',\t'),
    fc.constantFrom('', '', '', ', ', ' ', ';a', ')'),
  )
  .map(([members, comma, end]) => members.join(comma) + end)

test('returns the same result from the fast path as from the parser, if the fast path returns one', () => {
  const isSame = fc.property(dictionary, (written) => {
    const read = readPlain(written)
    if (read !== undefined) expect([...read]).toEqual([...(readAny(written) ?? [])])
  })
  fc.assert(isSame, { numRuns: 1_500 })
})

const plainString = fc.string({
  unit: fc.constantFrom('a', 'Z', '@', '-', ' ', '!', '#', '[', ']', '~', ';', '=', ',', '('),
  maxLength: 6,
})
const plainValue = fc.oneof(
  plainString.map((each) => `"${each}"`),
  fc.integer({ min: 1, max: 999_999_999_999_999 }).map(String),
)
const plainKey = fc.constantFrom('a', 'b', '*', 'sig1', 'sha-256', 'x_y.z*')
const plainList = fc
  .tuple(
    fc.array(plainString, { maxLength: 4 }),
    fc.uniqueArray(fc.tuple(plainKey, plainValue), { selector: ([name]) => name, maxLength: 4 }),
  )
  .map(([items, parameters]) => {
    const strings = items.map((each) => `"${each}"`).join(' ')
    return `(${strings})${parameters.map(([name, value]) => `;${name}=${value}`).join('')}`
  })
const plainBytes = fc.uint8Array({ maxLength: 70 }).map((each) => `:${Buffer.from(each).toString('base64')}:`)
const plainDictionary = fc
  .uniqueArray(fc.tuple(plainKey, fc.oneof(plainList, plainBytes)), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 3,
  })
  .map((members) => members.map(([name, value]) => `${name}=${value}`).join(', '))

test('accepts byte sequences and lists of strings without escapes in the fast path', () => {
  const isSame = fc.property(plainDictionary, (written) => {
    expect([...(readPlain(written) ?? [])]).toEqual([...(readAny(written) ?? ['nothing'])])
  })
  fc.assert(isSame, { numRuns: 500 })
})

test.each([
  'sig1=("@method" "@authority");created=1795163418;keyid="A";nonce="n"',
  'sig1=:AAAA:, sig2=:AA==:',
  'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:, sha-512=:AAE=:',
  'sig1=()',
])('parses %s in the fast path', (written) => {
  expect(readPlain(written)?.size).toBeGreaterThan(0)
})

test.each([
  'sig1=("a");a=1;a=1',
  'a=:AAAA:, a=:AAAA:',
  'a=:AAAA:, ',
  'sig1=("a" "b" );a=1',
  'a=:AB==:',
  'a=("a\\"b")',
  'a=("a");b=01',
])('leaves %s to the parser', (written) => {
  expect(readPlain(written)).toBeUndefined()
})
