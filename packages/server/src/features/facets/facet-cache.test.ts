import { expect, test } from 'vitest'
import { createFacetCache } from './facet-cache.ts'
import type { FacetRow } from './facets.queries.ts'

const row = (devices: number): FacetRow => ({ facet: 0, part: 'all', value: null, devices, active: 0, distinct: 0 })

test('counts again 10 seconds after the start of the last statement', async () => {
  let now = 0
  let counted = 0
  const cache = createFacetCache(() => now)
  const devicesOf = async (key = 'request'): Promise<number> =>
    (await cache.get(key, async () => [row(++counted)]))[0]!.devices
  expect(await devicesOf()).toBe(1)
  now = 9_999
  expect(await devicesOf()).toBe(1)
  expect(await devicesOf('another')).toBe(2)
  now = 10_000
  expect(await devicesOf()).toBe(3)
})

test('does not cache failures', async () => {
  const cache = createFacetCache()
  await expect(cache.get('request', () => Promise.reject(new Error('busy')))).rejects.toThrow('busy')
  expect(await cache.get('request', async () => [row(1)])).toEqual([row(1)])
})

test('caches a limited number of results', async () => {
  let counted = 0
  const cache = createFacetCache(() => 0)
  for (let request = 0; request < 1_000; request++) await cache.get(String(request), async () => [row(++counted)])
  await cache.get('0', async () => [row(++counted)])
  expect(counted).toBe(1_001)
})
