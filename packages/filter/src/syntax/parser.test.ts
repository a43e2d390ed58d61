import { describe, expect, test } from 'vitest'
import { problemsOf, strip } from '../../test/fixtures.ts'
import { parseFilter } from './parser.ts'
import { printFilter } from './print.ts'

function read(text: string): string {
  const { tree, problems } = parseFilter(text)
  expect(problems).toEqual([])
  return printFilter(tree)
}

const first = (text: string) => {
  const [problem] = parseFilter(text).problems
  return { at: problem && [problem.line, problem.column, problem.length], suggestion: problem?.suggestion }
}

describe('grammar', () => {
  test.each([
    ['', ''],
    [' \n\t ', ''],
    ['a b', 'a AND b'],
    ['a\nb\tc', 'a AND b AND c'],
    ['a AND b AND c', 'a AND b AND c'],
    ['a OR b OR c', 'a OR b OR c'],
    ['(a b) OR c', '(a AND b) OR c'],
    ['a AND (b OR c)', 'a AND (b OR c)'],
    ['a AND(b OR c)', 'a AND (b OR c)'],
    ['NOT a', 'NOT a'],
    ['-a', 'NOT a'],
    ['-(a OR b)', 'NOT (a OR b)'],
    ['NOT(a OR b)', 'NOT (a OR b)'],
    ['NOT (NOT a)', 'NOT (NOT a)'],
    ['((a))', 'a'],
    ['a-b', 'a-b'],
    ['and or not', 'and AND or AND not'],
    ['"AND"', '"AND"'],
    ["'it\\'s'", '"it\'s"'],
    ['site=oslo', 'site = oslo'],
    ['site  !=\n oslo', 'site != oslo'],
    ['a<1 b<=1 c>1 d>=1', 'a < 1 AND b <= 1 AND c > 1 AND d >= 1'],
    ['site : osl', 'site:osl'],
    ['net.ssid = lab', 'net.ssid = lab'],
    ['net."ssid 5" = x', 'net."ssid 5" = x'],
    ['load = -5', 'load = -5'],
    ['x = a.b:c-d', 'x = a.b:c-d'],
    ['id = 80:00:1f:aa', 'id = 80:00:1f:aa'],
    ['created > 2026-11-20T08:30:00Z', 'created > 2026-11-20T08:30:00Z'],
    ['80:00:1F:aa', '80:00:1F:aa'],
    ['-80:00', 'NOT 80:00'],
    ['80:00:1f:abc', '80:00:1f :abc'],
    ['80:port', '80 :port'],
    ['x.80:ab', 'x.80:ab'],
    ['name:(gate OR door)', 'name:(gate OR door)'],
    ['name:(gate north)', 'name:(gate AND north)'],
    ['name:(gate AND north)', 'name:(gate AND north)'],
    ['load = (-5 OR 80:00)', 'load = (-5 OR 80:00)'],
    ['services:(port = 22 state = active)', 'services:(port = 22 AND state = active)'],
    ['device.services:(a OR b)', 'device.services:(a OR b)'],
    ['attributes.services:(a OR b)', 'attributes.services:(a OR b)'],
    ['age("rack row") > 2d', 'age("rack row") > 2d'],
    ['in("night", net.ssid) = x', 'in("night", net.ssid) = x'],
    ["stale( site ) any('x')", 'stale(site) AND any("x")'],
    ['f()', 'f()'],
    ['f (a)', 'f AND a'],
  ])('parses %j', (text, expected) => {
    expect(read(text)).toBe(expected)
    expect(strip(parseFilter(expected).tree)).toEqual(strip(parseFilter(text).tree))
  })

  test('distinguishes 80:port from IDs', () => {
    expect(parseFilter('80:port').tree).toMatchObject({ type: 'comparison', comparator: ':' })
    expect(parseFilter('80:00:1f').tree).toMatchObject({ type: 'word' })
    expect(parseFilter('80:00:1f:abc').tree).toMatchObject({ type: 'comparison', argument: { parts: ['abc'] } })
  })

  test('distinguishes wildcards from asterisks, with and without quotes', () => {
    const partsOf = (text: string) => parseFilter(text).tree
    expect(partsOf('a*b')).toMatchObject({ value: { parts: ['a', 'b'], isQuoted: false } })
    expect(partsOf('a\\*b*')).toMatchObject({ value: { parts: ['a*b', ''] } })
    expect(partsOf('"*\\*\\\\\\""')).toMatchObject({ value: { parts: ['', '*\\"'], isQuoted: true } })
    expect(partsOf("'\\*'")).toMatchObject({ value: { parts: ['*'] } })
  })
})

describe('AND and OR on one level', () => {
  test.each([
    ['a AND b OR c', '(a AND b) OR c', 'a AND (b OR c)', '(a AND b) OR c'],
    ['a b OR c', '(a b) OR c', 'a (b OR c)', 'a (b OR c)'],
    ['a OR b OR c d', 'a OR b OR (c d)', '(a OR b OR c) d', '(a OR b OR c) d'],
    ['x (a OR b AND -c = 1)', 'a OR (b AND -c = 1)', '(a OR b) AND -c = 1', 'x (a OR (b AND -c = 1))'],
  ])('shows both readings of %j', (text, sql, aip, suggestion) => {
    const [problem, ...others] = parseFilter(text).problems
    expect(others).toEqual([])
    expect(problem!.message).toBe(`To combine AND and OR, use parentheses. A space means AND. Write ${sql}, or ${aip}.`)
    expect(problem!.suggestion).toBe(suggestion)
    expect(parseFilter(suggestion).problems).toEqual([])
  })

  test('abbreviates a long filter in the error', () => {
    const { message, suggestion } = parseFilter(`${'a'.repeat(3000)} AND b OR c`).problems[0]!
    expect(message.length).toBeLessThan(500)
    expect(suggestion).toHaveLength(3000 + ' AND b OR c'.length + 2)
  })
})

describe('errors', () => {
  test.each([
    ['node.example', 1, 12, '"node.example"'],
    ['site = AND', 8, 3, 'site = "AND"'],
    ['net.OR = x', 5, 2, 'net."OR" = x'],
    ['site =', 6, 1, null],
    ['site:', 5, 1, 'site:*'],
    ['= x', 1, 1, null],
    ['a AND', 6, 0, null],
    ['OR a', 1, 2, null],
    ['a OR OR b', 6, 2, null],
    ['a, b', 2, 1, 'a AND b'],
    ['(a OR b', 1, 1, '(a OR b)'],
    ['a) b', 2, 1, 'a b'],
    ['()', 2, 1, null],
    ['site = ()', 9, 1, null],
    ['site = (a, b)', 10, 1, 'site = (a OR b)'],
    ['site = (a OR b c)', 9, 8, 'site = (a OR b OR c)'],
    ['site = (a OR (b))', 14, 1, null],
    ['site = (NOT a)', 9, 3, null],
    ['site = (a', 8, 1, 'site = (a)'],
    ['age(site > 2d', 10, 1, null],
    ['age(site', 4, 1, 'age(site)'],
    ['services.age(x) > 2d', 10, 3, null],
    ['net. = x', 4, 1, null],
    ['.x', 1, 1, null],
    ['- a', 1, 1, 'NOT a'],
    ['NOT NOT a', 1, 7, null],
    ['"a""b"', 4, 0, '"a" "b"'],
    ['"a', 1, 2, '"a"'],
    ["name = it's", 10, 2, 'name = "it\'s"'],
    ['"a\\n"', 3, 1, '"a\\\\n"'],
    ['a\\b', 2, 1, '"a\\\\b"'],
    ['a = b=c', 5, 3, 'a = "b=c"'],
    ['a == b', 3, 2, 'a = b'],
    ['a <> b', 3, 2, 'a != b'],
    ['a => 1', 3, 2, 'a >= 1'],
    ['!a', 1, 1, 'NOT a'],
    ['(!a)', 2, 1, '(NOT a)'],
    ['a !b', 3, 1, 'a NOT b'],
    ['a!b', 2, 1, 'a!=b'],
    ['base(a)!b', 8, 1, 'base(a)!=b'],
    ['a!:b', 2, 1, null],
    ['a\0b', 2, 1, 'ab'],
    ['a\uD800', 2, 1, 'a'],
  ])('reports the position of the error in %j', (text, column, length, suggestion) => {
    expect(first(text)).toEqual({ at: [1, column, length], suggestion })
    expect(parseFilter(text).problems[0]!.kind).toBe('syntax')
  })

  test.each([
    'site = oslo!rome',
    '(a)!b',
    'site = (a)!b',
    'hello!',
    '(hello!)',
    'hello! AND x = 1',
    'hello!AND x',
    'a AND!b',
  ])('suggests no invalid operator for the exclamation mark in %j', (text) => {
    const mark = parseFilter(text).problems.find(({ message }) => message.startsWith('To negate'))
    expect(mark).toMatchObject({ column: text.indexOf('!') + 1, suggestion: null })
  })

  test('reports the line, and the column in code points', () => {
    expect(first('name:"😀"\r\n\n  😀😀 = x=y')).toEqual({
      at: [3, 8, 3],
      suggestion: 'name:"😀"\r\n\n  😀😀 = "x=y"',
    })
    expect(first('"a\rb" (')).toMatchObject({ at: [2, 4, 1] })
  })

  test('reports up to five syntax errors, and continues after each', () => {
    const found = parseFilter('= AND (a b OR c) AND x = AND y.z AND site = (a, b) AND ok = 1 AND q.r')
    expect(found.problems.map(({ column }) => column)).toEqual([1, 8, 26, 30, 47])
    expect(printFilter(found.tree)).toContain('ok = 1')
  })
})

describe('limits', () => {
  const limitsOf = (text: string) => problemsOf(text).map(({ kind, limit }) => `${kind} ${limit}`)
  const times = (count: number, text: string, separator = ' ') =>
    Array.from({ length: count }, () => text).join(separator)

  test.each([
    ['filterLength', 'a'.repeat(4096), 'a'.repeat(4097)],
    ['filterLength', '😀'.repeat(4096), '😀'.repeat(4097)],
    ['filterTerms', times(50, 'a'), times(51, 'a')],
    ['filterTerms', times(50, 'a = 1', ' OR '), times(51, 'a = 1', ' OR ')],
    ['filterTerms', times(10, `a = (${times(25, 'b', ' OR ')})`), `${times(10, `a = (${times(25, 'b', ' OR ')})`)} c`],
    ['filterDepth', `${'('.repeat(10)}a${')'.repeat(10)}`, `${'('.repeat(11)}a${')'.repeat(11)}`],
    ['filterDepth', `${'('.repeat(9)}a = (b)${')'.repeat(9)}`, `${'('.repeat(10)}a = (b)${')'.repeat(10)}`],
    ['filterDepth', `services:${'('.repeat(10)}a${')'.repeat(10)}`, `services:${'('.repeat(11)}a${')'.repeat(11)}`],
    ['filterPatterns', times(10, 'a*'), times(11, 'a*')],
    ['patternWildcards', 'name:*a*b*c*', 'name:*a*b*c*d*'],
    ['listValues', `a = (${times(100, 'b', ' OR ')})`, `a = (${times(101, 'b', ' OR ')})`],
  ])('enforces the limit %s', (limit, within, beyond) => {
    expect(limitsOf(within)).toEqual([])
    expect(limitsOf(beyond)).toEqual([`limit ${limit}`])
  })

  test('does not count * alone as a pattern', () => {
    expect(limitsOf(times(20, 'site:*'))).toEqual([])
  })

  test('accepts a longer filter if the caller allows it', () => {
    expect(parseFilter('a'.repeat(5000), { maxLength: 6000 }).problems).toEqual([])
  })
})
