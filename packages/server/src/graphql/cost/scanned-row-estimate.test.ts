import { describe, expect, test } from 'vitest'
import { prepared } from '../executor-fixture.ts'

const size = { devices: 0, events: 0 }
const count = (query: string, variables?: Record<string, unknown>) => prepared({ query, variables }).countRows(size)

describe('the number of rows that a document reads', () => {
  test('includes the rows of all fields, according to their arguments', () => {
    expect(count('{ user { id } }').rows).toBe(0)
    expect(count('{ user { page(size: 7) { lazy } } }').rows).toBe(7)
    expect(count('query ($n: Int) { user { page(size: $n) { lazy } } }', { n: 9 }).rows).toBe(9)
    expect(
      count('{ user { a: page(size: 1) { lazy } b: page(size: 2) { lazy } strict(size: 5) { total } } }').rows,
    ).toBe(3)
  })

  test('includes the rows of every alias, with equal and with different arguments', () => {
    const query = `query ($n: Int, $m: Int) {
      user { a: page(size: $n) { lazy } b: page(size: $m) { lazy } c: page(size: $n) { lazy total } }
    }`
    expect(count(query, { n: 4, m: 5 }).rows).toBe(4 + 5 + 4 + 10_000)
    expect(count(query, { n: 6, m: 6 }).rows).toBe(3 * 6 + 10_000)
  })

  test('includes every selected total', () => {
    expect(count('{ user { page(size: 1) { total } } }').rows).toBe(10_001)
    expect(count('{ user { page(size: 1) { total again: total } } }').rows).toBe(20_001)
  })

  test('includes the rows of a fragment once for each field that spreads it', () => {
    const fragment = 'fragment F on User { page(size: 1) { total } }'
    expect(count(`${fragment} { a: user { ...F } b: user { ...F } c: user { ...F ...F } }`).rows).toBe(30_003)
  })

  test('is 0 for a field with a cost of 0', () => {
    expect(count('query ($n: Int!) { user { strict(size: $n) { total } } }', { n: 1 }).rows).toBe(0)
  })
})

describe('walkingField', () => {
  test('returns the fields that read 2,000 rows or more, in the order of the document', () => {
    const counted = count(`{
      user {
        few: page(size: 1999) { lazy }
        many: page(size: 2000) { lazy total }
      }
      other: user { page { total } }
    }`)
    expect(counted.walkingFields).toBe(3)
    expect([0, 1, 2, 3].map(counted.walkingField)).toEqual([
      { path: 'user.many', line: 4, column: 9 },
      { path: 'user.many', line: 4, column: 9 },
      { path: 'other.page', line: 6, column: 21 },
      undefined,
    ])
  })
})
