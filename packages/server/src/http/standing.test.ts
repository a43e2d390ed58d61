import { expect, test } from 'vitest'
import { createStanding } from './standing.ts'

function openStanding() {
  let now = 0
  const standing = createStanding(10, () => now)
  return {
    standing,
    wait(ms: number) {
      now += ms
    },
  }
}

test('many at a time are a burst for two seconds, and stand from then on', () => {
  const { standing, wait } = openStanding()
  standing.now(10)
  wait(1_999)
  standing.now(500)
  expect(standing.is()).toBe(false)
  wait(1)
  expect(standing.is()).toBe(true)
})

test('a burst that goes down in between begins anew', () => {
  const { standing, wait } = openStanding()
  standing.now(10)
  wait(1_500)
  standing.now(9)
  standing.now(10)
  wait(1_999)
  expect(standing.is()).toBe(false)
})

test('what stands is over once fewer than half are left', () => {
  const { standing, wait } = openStanding()
  standing.now(10)
  wait(2_000)
  for (const underWay of [9, 10, 5]) standing.now(underWay)
  expect(standing.is()).toBe(true)
  standing.now(4)
  expect(standing.is()).toBe(false)
  standing.now(10)
  expect(standing.is()).toBe(false)
})
