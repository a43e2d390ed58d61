import { describe, expect, it } from 'vitest'
import { layOut } from './table.ts'
import { clip, visible, widthOf } from './text-width.ts'

describe('widthOf and clip', () => {
  it.each([
    ['abc', 3],
    ['漢字', 4],
    ['héllo', 5],
    ['he\u0301llo', 5],
    ['💡', 2],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['ｶﾅ', 2],
    ['ＡＢ', 4],
    ['한국', 4],
    ['', 0],
  ])('measures %j as %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it('clips to a width without splitting characters', () => {
    expect(clip('漢字漢字', 5)).toBe('漢字…')
    expect(clip('漢字漢字', 4)).toBe('漢…')
    expect(clip('abcd', 4)).toBe('abcd')
    expect(clip('a👩‍👩‍👧b', 3)).toBe('a…')
  })
})

describe('visible', () => {
  it('escapes terminal control sequences', () => {
    expect(visible('a\u001b[31m\nb\t\u202ec')).toBe('a\\u001b[31m\\nb\\t\\u202ec')
  })
})

describe('layOut', () => {
  const columns = [
    { name: 'id', value: (row: string[]) => row[0], whole: true },
    { name: 'name', value: (row: string[]) => row[1] },
    { name: 'note', value: (row: string[]) => row[2] },
  ]
  const rows = [
    ['80:00', '漢字', 'x'.repeat(30)],
    ['80:01', 'plain name', 'y'],
  ]

  it('aligns columns that contain wide characters', () => {
    const table = layOut(columns, rows, undefined)
    expect(table.head()).toBe('id     name        note')
    expect(table.row(rows[0]!)).toBe(`80:00  漢字        ${'x'.repeat(30)}`)
    expect(table.row(rows[1]!)).toBe('80:01  plain name  y')
  })

  it('fits the terminal without truncating IDs', () => {
    const table = layOut(columns, rows, 30)
    for (const row of rows) expect(widthOf(table.row(row))).toBeLessThanOrEqual(30)
    expect(table.row(rows[0]!)).toMatch(/^80:00 {2}漢字 +x+…$/)
    expect(layOut(columns, rows, 5).row(rows[0]!)).toContain('80:00')
  })

  it('shows missing values as a hyphen', () => {
    expect(layOut([{ name: 'a', value: () => null }], [[]], undefined).row([])).toBe('-')
  })
})
