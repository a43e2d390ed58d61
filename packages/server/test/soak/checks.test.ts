import { expect, it } from 'vitest'
import { checkResults, type Results } from './checks.ts'
import { mix, spread } from './mix.ts'
import type { MemorySample, Sample } from './samples.ts'
import { createTimes } from './times.ts'

/** Samples, twelve per minute, from a server whose values, except the CPU time, do not grow. */
const stable: Sample[] = Array.from({ length: 30 * 12 }, (_, index) => ({
  at: index / 12,
  rssMiB: 300 + (index % 7),
  descriptors: 10_050 + (index % 5),
  databaseConnections: 20 + (index % 3),
  cpuSeconds: index,
  eventLagSeconds: 0.1,
  deliveriesPending: index % 40,
  deliveriesDueSeconds: 0.2,
  devicesConnected: 10_000,
}))

/** Values from -1 to 1 in an order without a pattern. */
const noise = Array.from({ length: 60 }, (_, index) => Math.sin(index * index))

interface MemoryShape {
  minutes?: number
  noise?: number
  live?: number
  resident?: number
}

const memoryOf = ({ minutes = 30, noise: part = 0.5, live = 0, resident = 0 }: MemoryShape): MemorySample[] =>
  Array.from({ length: minutes }, (_, at) => ({
    at,
    liveMiB: 140 * (1 + (noise[at]! * part + (live * at) / 60) / 100),
    residentMiB: 240 * (1 + (noise[at + 20]! * part + (resident * at) / 60) / 100),
  }))

const failuresOf = (results: Partial<Results> = {}): string[] =>
  checkResults({
    samples: stable,
    memory: memoryOf({}),
    errors: {},
    devices: 10_000,
    undelivered: 0,
    forged: 0,
    ...results,
  }).failures

const changed = (change: (sample: Sample) => Partial<Sample>): Partial<Results> => ({
  samples: stable.map((sample) => ({ ...sample, ...change(sample) })),
})

it('finds no failure in good results', () => {
  expect(failuresOf()).toEqual([])
})

it.each<[failure: string, results: Partial<Results>]>([
  ['live memory grows by', { memory: memoryOf({ live: 3 }) }],
  ['resident memory grows by', { memory: memoryOf({ resident: 3 }) }],
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

it.each<[name: string, memory: MemoryShape]>([
  ['noisy values', { noise: 5 }],
  ['a leak in a run of a few minutes', { minutes: 5, live: 3, resident: 3 }],
  ['two values', { minutes: 2 }],
])('reports that it cannot measure the growth of memory: %s', (_, shape) => {
  expect(failuresOf({ memory: memoryOf(shape) })).toEqual([
    expect.stringContaining('too short or too noisy to measure the growth of live memory'),
    expect.stringContaining('too short or too noisy to measure the growth of resident memory'),
  ])
})

it('ignores single outliers of memory', () => {
  const memory = memoryOf({}).map((sample) => ([3, 27].includes(sample.at) ? { ...sample, residentMiB: 200 } : sample))
  expect(failuresOf({ memory })).toEqual([])
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
