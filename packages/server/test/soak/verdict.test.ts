import { expect, it } from 'vitest'
import { mix, spread } from './mix.ts'
import type { Sample } from './samples.ts'
import { createTimes } from './times.ts'
import { type Judged, judge } from './verdict.ts'

/** Half an hour, looked at twelve times a minute, of a server that breathes and does not grow. */
const level = (minutes = 30): Sample[] =>
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

const judged = (more: Partial<Judged> = {}): string[] =>
  judge({ samples: level(), errors: {}, devices: 10_000, untold: 0, forged: 0, ...more }).failures

const changed = (change: (sample: Sample) => Partial<Sample>, minutes?: number): Partial<Judged> => ({
  samples: level(minutes).map((sample) => ({ ...sample, ...change(sample) })),
})

it('nothing is found where all holds', () => {
  expect(judged()).toEqual([])
})

it.each<[what: string, more: Partial<Judged>]>([
  ['memory grows', changed(({ rssMiB, at }) => ({ rssMiB: rssMiB + at * 0.1 }))],
  ['the heap grows', changed(({ heapMiB, at }) => ({ heapMiB: heapMiB + at * 0.05 }))],
  ['open files', changed(({ descriptors, at }) => ({ descriptors: descriptors + at * 15 }))],
  [
    'connections to the database',
    changed(({ databaseConnections, at }) => ({ databaseConnections: databaseConnections + at })),
  ],
  ['behind', changed(({ at }) => ({ eventLagSeconds: Math.floor(at) === 7 ? 12 : 0 }))],
  ['not all devices', changed(({ at }) => ({ devicesConnected: at > 29 ? 9_999 : 10_000 }))],
  ['3 times login: 503 UNAVAILABLE', { errors: { 'login: 503 UNAVAILABLE': 3 } }],
  ['not told of 2 changes', { untold: 2 }],
  ['1 messages', { forged: 1 }],
])('it is found that something does not hold: %s', (what, more) => {
  expect(judged(more)).toEqual([expect.stringContaining(what)])
})

it('memory is not judged by a few minutes', () => {
  expect(judged(changed(({ rssMiB, at }) => ({ rssMiB: rssMiB + at * 5 }), 5))).toEqual([])
})

it('a fifth of what is sent are changes, and each kind is spread evenly', () => {
  const sent = spread()
  expect(sent).toHaveLength(100)
  const changes = sent.filter(({ document }) => document.startsWith('mutation'))
  expect(changes).toHaveLength(20)
  for (const { name, share } of mix) {
    const places = sent.flatMap((each, index) => (each.name === name ? [index] : []))
    const gaps = places.slice(1).map((place, index) => place - places[index]!)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * Math.ceil(100 / share))
  }
})

it('durations are known to two parts in a hundred', () => {
  const times = createTimes()
  for (let ms = 1; ms <= 1_000; ms++) times.add(ms)
  for (const part of [0.5, 0.9, 0.99]) {
    expect(Math.abs(times.percentile(part) / (part * 1_000) - 1)).toBeLessThan(0.02)
  }
})
