import { expect, test } from 'vitest'
import { readSort, writeSort } from './devices-search.ts'

test.each([
  [undefined, 'name asc'],
  ['created', 'created asc'],
  ['created desc', 'created desc'],
  ['-created', 'created desc'],
  ['+created', 'created asc'],
  ['-attributes.site', 'attributes.site desc'],
  ['-site DESC', '-site desc'],
  ['-site asc', '-site asc'],
])('parses the sort order %j as %j', (sort, expected) => {
  expect(writeSort(readSort(sort))).toBe(expected)
})
