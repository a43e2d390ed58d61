import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

const waits = (random: number, count: number): number[] => {
  const backoff = createBackoff(() => random)
  return Array.from({ length: count }, () => backoff.next() / 1_000)
}

test('draws delays from 1 second up to a limit that doubles to at most a minute', () => {
  expect(waits(1, 7)).toEqual([4, 8, 16, 32, 60, 60, 60])
  expect(waits(0, 3)).toEqual([1, 1, 1])
  expect(waits(0.5, 2)).toEqual([2.5, 4.5])
})

test('starts with short delays again after a reset', () => {
  const backoff = createBackoff(() => 1)
  for (let count = 0; count < 5; count++) backoff.next()
  backoff.reset()
  expect(backoff.next()).toBe(4_000)
})
