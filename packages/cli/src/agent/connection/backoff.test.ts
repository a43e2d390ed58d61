import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

const waits = (random: number, count: number): number[] => {
  const backoff = createBackoff(() => random)
  return Array.from({ length: count }, () => backoff.next() / 1_000)
}

test('picks delays between 1 second and a limit that doubles up to 1 minute', () => {
  expect(waits(1, 7)).toEqual([4, 8, 16, 32, 60, 60, 60])
  expect(waits(0, 3)).toEqual([1, 1, 1])
  expect(waits(0.5, 2)).toEqual([2.5, 4.5])
})

test('returns to short delays after a reset', () => {
  const backoff = createBackoff(() => 1)
  for (let count = 0; count < 5; count++) backoff.next()
  backoff.reset()
  expect(backoff.next()).toBe(4_000)
})
