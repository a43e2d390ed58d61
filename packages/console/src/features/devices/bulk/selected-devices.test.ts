import { expect, test } from 'vitest'
import { excludesTooMany } from './selected-devices.ts'

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `d${index}`)

test.each([
  ['no exceptions', undefined, 0, false],
  ['100 exceptions', undefined, 100, false],
  ['more values than a list may have', undefined, 101, true],
  ['more conditions than a filter may have', numbered(31).join(' '), 100, true],
  ['more characters than a filter may have', `name = "${'x'.repeat(4000)}"`, 20, true],
])('checks the limits of a filter with %s', (_, where, count, expected) => {
  const except = new Set(numbered(count))
  expect(excludesTooMany({ selected: { kind: 'all', except }, filter: { where } })).toBe(expected)
})
