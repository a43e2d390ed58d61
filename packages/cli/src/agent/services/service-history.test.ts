import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openServiceHistory, type ServiceChange } from './service-history.ts'
import type { ServiceSettings } from './service-settings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-services-'))
})
afterEach(() => rm(folder, { recursive: true }))

const settings: ServiceSettings = {
  every: 5_000,
  found: true,
  loopback: false,
  ignored: new Set(),
  forgottenAfter: 1_000,
  expected: [],
}
const ssh = { name: 'ssh', application: 28, port: 22 }
const web = { name: 'web', application: 7, port: 8080, protocol: 'tcp' as const }

const open = (more: Partial<ServiceSettings> = {}) => openServiceHistory(folder, { ...settings, ...more })
const describeChanges = (changes: readonly ServiceChange[]): string[] =>
  changes.map(({ what, service }) => `${service.name} ${what}`)

test('reports a service as new, down, up, and then forgotten after a long absence', async () => {
  const history = await open()
  expect(describeChanges(await history.update([ssh], 0))).toEqual(['ssh new'])
  expect(describeChanges(await history.update([ssh], 1))).toEqual([])
  expect(describeChanges(await history.update([], 2))).toEqual(['ssh down'])
  expect(describeChanges(await history.update([ssh], 500))).toEqual(['ssh up'])
  expect(describeChanges(await history.update([], 600))).toEqual(['ssh down'])
  expect(describeChanges(await history.update([], 1_599))).toEqual([])
  expect(describeChanges(await history.update([], 1_600))).toEqual(['ssh forgotten'])
  expect(history.all()).toEqual([])
})

test('restores the history after an agent restart', async () => {
  await (await open()).update([ssh], 0)
  const history = await open()
  expect(describeChanges(await history.update([], 10))).toEqual(['ssh down'])
  expect((await open()).all()).toEqual([{ ...ssh, isExpected: false, goneSince: 10 }])
})

test('keeps expected services until they are removed from the configuration', async () => {
  const history = await open({ expected: [web] })
  expect(describeChanges(await history.update([], 0))).toEqual(['web new'])
  expect(describeChanges(await history.update([], 5_000))).toEqual([])
  expect(history.all()).toMatchObject([{ name: 'web', goneSince: 0 }])
  expect(describeChanges(await (await open()).update([], 5_001))).toEqual(['web forgotten'])
})

test('immediately forgets services that the configuration now ignores or no longer detects', async () => {
  await (await open()).update([ssh], 0)
  expect(describeChanges(await (await open({ ignored: new Set([22]) })).update([], 1))).toEqual(['ssh forgotten'])
  await (await open()).update([ssh], 2)
  expect(describeChanges(await (await open({ found: false })).update([], 3))).toEqual(['ssh forgotten'])
})

test('tracks at most 100 detected services per device', async () => {
  const history = await open()
  const many = Array.from({ length: 130 }, (_, index) => ({ ...ssh, name: `s${index}` }))
  await history.update(many, 0)
  expect(history.all()).toHaveLength(100)
})
