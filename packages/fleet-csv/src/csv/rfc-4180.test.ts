import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cell, formatCsvRow, parseCsv } from './rfc-4180.ts'

const read = (text: string) => [...parseCsv(text)]
const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'a', '=', '\uFEFF', ';') }),
)

describe('CSV cells', () => {
  it('round-trips cells, and distinguishes null from the empty string', () => {
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 8 })
    fc.assert(
      fc.property(rows, (given) => {
        const text = ['x,y\n', ...given.map(formatCsvRow)].join('')
        expect(read(text).map((row) => 'cells' in row && row.cells)).toEqual([['x', 'y'], ...given])
      }),
    )
  })

  it('does not throw for any string', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a') }), (text) => void read(text)))
  })

  it('distinguishes an empty cell from a quoted empty cell', () => {
    expect(read('a,,""')).toEqual([{ line: 1, cells: ['a', null, ''] }])
  })

  it('accepts a quoted cell with several lines, and counts each line', () => {
    expect(read('a,b\r\n"1\r\n2",x\r\n\r\n\rlast,y')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1\r\n2', 'x'] },
      { line: 6, cells: ['last', 'y'] },
    ])
  })

  it('accepts an empty line or an empty cell at the start of the file', () => {
    expect(read('\na,b')).toEqual([{ line: 2, cells: ['a', 'b'] }])
    expect(read(',b')).toEqual([{ line: 1, cells: [null, 'b'] }])
  })

  it('ignores a byte order mark', () => {
    expect(read('\uFEFF"name",b\n')).toEqual([{ line: 1, cells: ['name', 'b'] }])
  })
})

describe('a row with a broken quote', () => {
  const problems = (text: string) => read(text).map((row) => ('reason' in row ? `${row.line}!` : row.line))

  it('does not affect other rows if the quote is inside a cell', () => {
    expect(problems('a,b\n5" disk,x\nc,d\n')).toEqual([1, '2!', 3])
  })

  it('does not affect other rows if text follows the quote', () => {
    expect(problems('a,b\n"x"y,x\nc,d\n')).toEqual([1, '2!', 3])
  })

  it('does not affect other rows if the quote is never closed, even with later quotes', () => {
    expect(problems('a,b\n"x,x\nc,d\n')).toEqual([1, '2!', 3])
    expect(problems('a,b\n"x,x\nc,"d"\ne,f\n')).toEqual([1, '2!', 3, 4])
  })

  it('is reported with a fix', () => {
    expect(read('5" disk')).toMatchObject([{ reason: expect.stringContaining('quote the whole cell') }])
    expect(read('"x"y')).toMatchObject([
      { reason: expect.stringContaining('inside a quoted cell, write each quote twice') },
    ])
    expect(read('"x')).toMatchObject([{ reason: expect.stringContaining('no closing quote') }])
  })
})
