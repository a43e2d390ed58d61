import { expect, test } from 'vitest'
import { parseTime } from '../../db/type-parsers.ts'
import { formatStoredTime, formatTime } from './format-timestamps.ts'

test('formats a time in the same way as toISOString', () => {
  const edges = [0, -1, 1, 999, 1_000, 86_399_999, 86_400_000, -86_400_000, 253_402_300_799_999, -62_135_596_800_000]
  const spread = Array.from({ length: 2_000 }, (_, step) => -62e12 + step * 157_464_643_217)
  for (const time of [...edges, ...spread, ...edges]) {
    const date = new Date(time)
    expect(formatTime(date)).toBe(date.toISOString())
  }
})

test('throws for an invalid date', () => {
  expect(() => formatTime(new Date(Number.NaN))).toThrow(RangeError)
  expect(() => formatTime(new Date(Number.NaN))).toThrow(RangeError)
})

test('formats a time from the database in the same way as toISOString', () => {
  const fractions = ['', '.1', '.12', '.123', '.003', '.02', '.1234', '.123456']
  const times = fractions.map((fraction) => `2026-11-20 08:30:59${fraction}+00`)
  for (const time of [...times, '0044-03-15 10:00:00.5+00', '2026-11-20 08:30:00+05:30', '2026-11-20 08:30:00.5-03']) {
    expect({ time, text: formatStoredTime(time) }).toEqual({ time, text: parseTime(time).toISOString() })
  }
})
