import { describe, expect, it } from 'vitest'
import { type Column, chooseColumns } from './column.ts'
import { localTime } from './local-time.ts'
import { layOut } from './table-layout.ts'
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

  it('clips a string to a width without splitting characters', () => {
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
  const columns: Column<string[]>[] = [
    { name: 'id', value: (row) => row[0], truncated: 'first' },
    { name: 'name', value: (row) => row[1], truncated: 'last' },
    { name: 'note', value: (row) => row[2] },
  ]
  const id = '80:45:cd:42:8d:a3:b8:fb'
  const rows = [
    [id, '漢字', 'x'.repeat(30)],
    ['80:01', 'a long, plain name', 'y'],
  ]
  const lines = (room: number | undefined): string[] => {
    const table = layOut(columns, rows, room)
    return [table.head(), ...rows.map((row) => table.row(row))]
  }

  it('aligns columns that contain wide characters, and truncates nothing without a terminal', () => {
    expect(lines(undefined)).toEqual([
      'id                       name                note',
      `${id}  漢字                ${'x'.repeat(30)}`,
      '80:01                    a long, plain name  y',
    ])
  })

  it('truncates IDs first, then other values, and names last', () => {
    expect(lines(70)[1]).toBe(`80:45:cd:42:8d:a3…  漢字                ${'x'.repeat(30)}`)
    expect(lines(50)[1]).toBe(`80:45:c…  漢字                ${'x'.repeat(19)}…`)
    expect(lines(34)).toEqual([
      'id    name                note',
      '80:…  漢字                xxxxxxx…',
      '80:…  a long, plain name  y',
    ])
    expect(lines(24)[2]).toBe('80:…  a long, pla…  y')
  })

  it.each([80, 60, 40, 24, 16])('fits a terminal that is %i columns wide', (room) => {
    for (const line of lines(room)) expect(widthOf(line)).toBeLessThanOrEqual(room)
  })

  it('shortens a time to the minute or the day', () => {
    const moment = '2026-11-20T14:25:03Z'
    const table = (room: number) => layOut([{ name: 'at', value: () => moment, time: true }], [[]], room).row([])
    const time = localTime(moment)
    expect([19, 17, 12].map(table)).toEqual([time, time.slice(0, 16), time.slice(0, 10)])
  })

  it('shows missing values as a hyphen', () => {
    expect(layOut([{ name: 'a', value: () => null }], [[]], undefined).row([])).toBe('-')
  })
})

describe('chooseColumns', () => {
  it('suggests a column for a misspelled one', () => {
    const choose = () => chooseColumns(['prot'], { known: [{ name: 'port', value: () => 1 }], usual: [] })
    expect(choose).toThrow('unknown column "prot". Did you mean "port"?')
  })
})
