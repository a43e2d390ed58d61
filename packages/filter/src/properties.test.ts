import fc from 'fast-check'
import { expect, test } from 'vitest'
import { filterOf, hostile } from '../test/arbitraries.ts'
import { known, strip } from '../test/fixtures.ts'
import {
  checkFilter,
  completionsAt,
  type FilterKind,
  fromChips,
  parseFilter,
  printFilter,
  toChips,
  tokens,
} from './index.ts'

const kinds: readonly FilterKind[] = ['device', 'service', 'event']

test.each(kinds)('keeps the meaning of a filter of %ss in its canonical form', (kind) => {
  let valid = 0
  fc.assert(
    fc.property(filterOf(kind), (text) => {
      const first = checkFilter(text, { kind, knownAttributes: known })
      if (first.canonical === null) return
      valid++
      const second = checkFilter(first.canonical, { kind, knownAttributes: known, maxLength: 100_000 })
      expect(second.problems).toEqual([])
      expect(second.canonical).toBe(first.canonical)
      expect(second.filter).toEqual(first.filter)
      expect(second.isIndexed).toBe(first.isIndexed)
    }),
    { numRuns: 1500 },
  )
  expect(valid).toBeGreaterThan(500)
})

test('parses a printed tree into the same tree', () => {
  let parsed = 0
  fc.assert(
    fc.property(fc.oneof(filterOf('device'), hostile), (text) => {
      const { tree, problems } = parseFilter(text)
      if (problems.length > 0) return
      parsed++
      const again = parseFilter(printFilter(tree), { maxLength: 100_000 })
      expect(again.problems).toEqual([])
      expect(strip(again.tree)).toEqual(strip(tree))
    }),
    { numRuns: 4000 },
  )
  expect(parsed).toBeGreaterThan(1000)
})

test('converts chips back to a filter with the same meaning', () => {
  let converted = 0
  fc.assert(
    fc.property(filterOf('device'), (text) => {
      const chips = toChips(text)
      if (chips === undefined) return
      converted++
      expect(toChips(fromChips(chips))).toEqual(chips)
      const { filter } = checkFilter(fromChips(chips), { maxLength: 100_000 })
      expect(withoutDoubleNegation(filter)).toEqual(withoutDoubleNegation(checkFilter(text).filter))
    }),
    { numRuns: 2000 },
  )
  expect(converted).toBeGreaterThan(500)
})

/** Removes double negations, because chips write `NOT (a != b)` as `a = b`. */
const withoutDoubleNegation = (filter: unknown): unknown =>
  JSON.parse(JSON.stringify(filter), (_, part) =>
    part?.type === 'not' && part.operand.type === 'not' ? part.operand.operand : part,
  )

test('reports problems with positions in the string, and never throws', () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(...kinds), fc.nat(), (text, kind, at) => {
      const { problems, warnings, isValid } = checkFilter(text, { kind, knownAttributes: known })
      expect(isValid).toBe(problems.length === 0)
      const lines = text.split(/\r\n|\n|\r/)
      for (const { line, column, length } of [...problems, ...warnings]) {
        expect(line).toBeGreaterThanOrEqual(1)
        expect(line).toBeLessThanOrEqual(lines.length)
        expect(column).toBeLessThanOrEqual(Array.from(lines[line - 1]!).length + 1)
        expect(length).toBeGreaterThanOrEqual(0)
      }
      expect(problems.filter((problem) => problem.kind === 'syntax').length).toBeLessThanOrEqual(5)
      const cursor = at % (text.length + 1)
      const { from, to } = completionsAt(text, cursor, kind)
      expect([from <= cursor, to >= cursor, to <= text.length]).toEqual([true, true, true])
      toChips(text)
      const spans = tokens(text)
      const between = spans.map((span, index) => text.slice(spans[index - 1]?.to ?? 0, span.from)).join('')
      expect(between.trim()).toBe('')
    }),
    { numRuns: 12_000 },
  )
})

test('fixes a problem with its suggestion', () => {
  let checked = 0
  fc.assert(
    fc.property(filterOf('device'), (text) => {
      const { problems } = checkFilter(text, { knownAttributes: known })
      const [only] = problems
      if (problems.length !== 1 || only?.suggestion == null) return
      checked++
      const after = checkFilter(only.suggestion, { knownAttributes: known }).problems
      expect(after.map(({ message }) => message)).not.toContain(only.message)
    }),
    { numRuns: 3000 },
  )
  expect(checked).toBeGreaterThan(100)
})

const repeated = [
  '(',
  ')',
  '-',
  'NOT ',
  'a ',
  'a OR b ',
  'a b OR ',
  '"',
  '\\',
  '!',
  '.',
  'a.',
  ':',
  '80:00:',
  'a=',
  'a=(',
  ',',
  'a , ',
  'f(',
  '*',
  '\n',
]

test.each(repeated)('parses repetitions of %j in linear time', (part) => {
  /** Checks a filter of `count` repetitions `times` times. Returns the total CPU time in milliseconds. */
  const run = (count: number, times: number): number => {
    const text = part.repeat(count)
    const start = process.threadCpuUsage()
    for (let time = 0; time < times; time++) {
      checkFilter(text, { knownAttributes: known, maxLength: Number.POSITIVE_INFINITY })
      tokens(text)
    }
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
  // In quadratic time, one check of the long filter would take 32 times as long as 32 checks of the short filter.
  // The limit of 10 leaves room for garbage collection.
  const short = Math.max(Math.min(run(2000, 32), run(2000, 32)), 10)
  let long = run(64_000, 1)
  // Repeat the measurement only if another process may have disturbed it.
  for (let tries = 1; tries < 3 && long / short >= 10; tries++) long = Math.min(long, run(64_000, 1))
  expect(long / short).toBeLessThan(10)
})
