import { expect, it } from 'vitest'
import { checkResults, type Results } from './checks.ts'
import { mix, spread } from './mix.ts'
import type { Sample } from './samples.ts'
import { createTimes } from './times.ts'

/** Returns samples, twelve per minute, from a server whose values vary but do not grow. */
const stable = (minutes = 30): Sample[] =>
  Array.from({ length: minutes * 12 }, (_, index) => ({
    at: index / 12,
    rssMiB: 300 + (index % 7),
    heapMiB: 80 + (index % 12) * 3,
    descriptors: 10_050 + (index % 5),
    databaseConnections: 20 + (index % 3),
    cpuSeconds: index,
    eventLagSeconds: 0.1,
    deliveriesPending: index % 40,
    deliveriesDueSeconds: 0.2,
    devicesConnected: 10_000,
  }))

const failuresOf = (results: Partial<Results> = {}): string[] =>
  checkResults({ samples: stable(), errors: {}, devices: 10_000, undelivered: 0, forged: 0, ...results }).failures

const changed = (change: (sample: Sample) => Partial<Sample>, minutes?: number): Partial<Results> => ({
  samples: stable(minutes).map((sample) => ({ ...sample, ...change(sample) })),
})

it('finds no failure in good results', () => {
  expect(failuresOf()).toEqual([])
})

it.each<[failure: string, results: Partial<Results>]>([
  ['memory grows', changed(({ rssMiB, at }) => ({ rssMiB: rssMiB + at * 0.1 }))],
  ['the heap grows', changed(({ heapMiB, at }) => ({ heapMiB: heapMiB + at * 0.05 }))],
  ['open files', changed(({ descriptors, at }) => ({ descriptors: descriptors + at * 15 }))],
  [
    'connections to the database',
    changed(({ databaseConnections, at }) => ({ databaseConnections: databaseConnections + at })),
  ],
  ['delayed', changed(({ at }) => ({ eventLagSeconds: Math.floor(at) === 7 ? 12 : 0 }))],
  ['not all devices', changed(({ at }) => ({ devicesConnected: at > 29 ? 9_999 : 10_000 }))],
  ['3 × login: 503 UNAVAILABLE', { errors: { 'login: 503 UNAVAILABLE': 3 } }],
  ['not receive 2 changes', { undelivered: 2 }],
  ['1 webhook messages', { forged: 1 }],
])('reports a failure: %s', (failure, results) => {
  expect(failuresOf(results)).toEqual([expect.stringContaining(failure)])
})

it('does not check the growth of memory in a run of a few minutes', () => {
  expect(failuresOf(changed(({ rssMiB, at }) => ({ rssMiB: rssMiB + at * 5 }), 5))).toEqual([])
})

it('sends one fifth of the requests as mutations, and spreads each operation evenly', () => {
  const sent = spread()
  expect(sent).toHaveLength(100)
  const changes = sent.filter(({ document }) => document.startsWith('mutation'))
  expect(changes).toHaveLength(20)
  for (const { name, share } of mix) {
    const positions = sent.flatMap((each, index) => (each.name === name ? [index] : []))
    const gaps = positions.slice(1).map((position, index) => position - positions[index]!)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * Math.ceil(100 / share))
  }
})

it('measures durations with a precision of 2%', () => {
  const times = createTimes()
  for (let ms = 1; ms <= 1_000; ms++) times.add(ms)
  for (const part of [0.5, 0.9, 0.99]) {
    expect(Math.abs(times.percentile(part) / (part * 1_000) - 1)).toBeLessThan(0.02)
  }
})
