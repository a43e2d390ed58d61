import { expect, it } from 'vitest'
import { divideCsv } from './divide-csv.ts'

it('counts the empty lines before a row when it limits the size of a part', () => {
  const rows = [['a'.repeat(500 * 1024)], ['b']]
  const { parts } = divideCsv(['name'], rows, [2, 100_000])
  expect(parts.map((part) => part.trimEnd().at(-1))).toEqual(['a', 'b'])
})
