import { expect, test } from 'vitest'
import { duration, exactTime, relativeTime } from './time.tsx'

const now = Date.parse('2030-05-06T12:00:00Z')
const before = (ms: number): Date => new Date(now - ms)

test.each([
  [0, 'just now'],
  [4_000, 'just now'],
  [42_000, '42 s ago'],
  [3 * 60_000 + 59_000, '3 min ago'],
  [26 * 3_600_000, '1 d ago'],
  [-30 * 60_000, 'in 30 min'],
])('shows a time %i ms ago as %s', (ms, text) => {
  expect(relativeTime(before(ms), now)).toBe(text)
})

test('shows seven days for a time that is two seconds less than seven days ahead', () => {
  expect(relativeTime(before(-7 * 86_400_000 + 2_000), now)).toBe('in 7 d')
})

test('shows a date for a time more than 30 days ago', () => {
  expect(relativeTime(before(40 * 86_400_000), now)).toMatch(/2030/)
})

test('shows durations in their largest unit', () => {
  expect([900, 61_000, 3_600_000, 86_400_000 * 3].map(duration)).toEqual(['0 s', '1 min', '1 h', '3 d'])
})

test('shows the exact time together with the time in the API’s format', () => {
  expect(exactTime(new Date(now))).toContain('2030-05-06T12:00:00.000Z')
})
