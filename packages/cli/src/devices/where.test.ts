import { describe, expect, it } from 'vitest'
import { joinFilters, quote } from './where.ts'

describe('joinFilters', () => {
  it('requires all filters to match', () => {
    expect(joinFilters([])).toBe(undefined)
    expect(joinFilters(['site = oslo OR site = bergen'])).toBe('site = oslo OR site = bergen')
    expect(joinFilters(['a = 1 OR b = 2', 'c:*'])).toBe('(a = 1 OR b = 2) AND (c:*)')
  })

  it.each([
    [' ', 'empty'],
    ['name~pump', '~ is not an operator'],
  ])('rejects %j', (filter, reason) => {
    expect(() => joinFilters([filter])).toThrow(reason)
  })
})

it('quotes a word that contains special characters', () => {
  expect(quote('50*"\\')).toBe('"50\\*\\"\\\\"')
})
