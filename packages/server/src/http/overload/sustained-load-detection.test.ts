import { expect, test } from 'vitest'
import { createSustainedLoad } from './sustained-load-detection.ts'

function openLoad() {
  let now = 0
  const load = createSustainedLoad(10, () => now)
  return {
    load,
    wait(ms: number) {
      now += ms
    },
  }
}

test('reports sustained load after two seconds at or above the limit', () => {
  const { load, wait } = openLoad()
  load.update(10)
  wait(1_999)
  load.update(500)
  expect(load.isSustained()).toBe(false)
  wait(1)
  expect(load.isSustained()).toBe(true)
})

test('restarts the two seconds when the load falls below the limit', () => {
  const { load, wait } = openLoad()
  load.update(10)
  wait(1_500)
  load.update(9)
  load.update(10)
  wait(1_999)
  expect(load.isSustained()).toBe(false)
})

test('ends sustained load when the load falls below half the limit', () => {
  const { load, wait } = openLoad()
  load.update(10)
  wait(2_000)
  for (const inFlight of [9, 10, 5]) load.update(inFlight)
  expect(load.isSustained()).toBe(true)
  load.update(4)
  expect(load.isSustained()).toBe(false)
  load.update(10)
  expect(load.isSustained()).toBe(false)
})
