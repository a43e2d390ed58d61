import { expect, test } from 'vitest'
import { createFacetCache } from './facet-cache.ts'
import type { FacetRow } from './facets.queries.ts'

const row = (devices: number): FacetRow => ({ facet: 0, part: 'all', value: null, devices, active: 0, distinct: 0 })

test('counts again 10 seconds after the beginning of the last statement', async () => {
  let now = 0
  let counted = 0
  const cache = createFacetCache(() => now)
  const ask = async (key = 'question'): Promise<number> =>
    (await cache.get(key, async () => [row(++counted)]))[0]!.devices
  expect(await ask()).toBe(1)
  now = 9_999
  expect(await ask()).toBe(1)
  expect(await ask('another')).toBe(2)
  now = 10_000
  expect(await ask()).toBe(3)
})

test('does not cache failures', async () => {
  const cache = createFacetCache()
  await expect(cache.get('question', () => Promise.reject(new Error('busy')))).rejects.toThrow('busy')
  expect(await cache.get('question', async () => [row(1)])).toEqual([row(1)])
})

test('caches a limited number of results', async () => {
  let counted = 0
  const cache = createFacetCache(() => 0)
  for (let question = 0; question < 1_000; question++) await cache.get(String(question), async () => [row(++counted)])
  await cache.get('0', async () => [row(++counted)])
  expect(counted).toBe(1_001)
})
