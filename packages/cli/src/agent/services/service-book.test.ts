import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openServiceBook, type ServiceChange } from './service-book.ts'
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

const open = (more: Partial<ServiceSettings> = {}) => openServiceBook(folder, { ...settings, ...more })
const inWords = (changes: readonly ServiceChange[]): string[] =>
  changes.map(({ what, service }) => `${service.name} ${what}`)

test('a service is new, down, up, and forgotten when it was gone for long', async () => {
  const book = await open()
  expect(inWords(await book.enter([ssh], 0))).toEqual(['ssh new'])
  expect(inWords(await book.enter([ssh], 1))).toEqual([])
  expect(inWords(await book.enter([], 2))).toEqual(['ssh down'])
  expect(inWords(await book.enter([ssh], 500))).toEqual(['ssh up'])
  expect(inWords(await book.enter([], 600))).toEqual(['ssh down'])
  expect(inWords(await book.enter([], 1_599))).toEqual([])
  expect(inWords(await book.enter([], 1_600))).toEqual(['ssh forgotten'])
  expect(book.all()).toEqual([])
})

test('it outlasts the agent', async () => {
  await (await open()).enter([ssh], 0)
  const book = await open()
  expect(inWords(await book.enter([], 10))).toEqual(['ssh down'])
  expect((await open()).all()).toEqual([{ ...ssh, isExpected: false, goneSince: 10 }])
})

test('what is expected is there from the start and stays, until the configuration drops it', async () => {
  const book = await open({ expected: [web] })
  expect(inWords(await book.enter([], 0))).toEqual(['web new'])
  expect(inWords(await book.enter([], 5_000))).toEqual([])
  expect(book.all()).toMatchObject([{ name: 'web', goneSince: 0 }])
  expect(inWords(await (await open()).enter([], 5_001))).toEqual(['web forgotten'])
})

test('what is ignored, or not looked for any more, goes at once', async () => {
  await (await open()).enter([ssh], 0)
  expect(inWords(await (await open({ ignored: new Set([22]) })).enter([], 1))).toEqual(['ssh forgotten'])
  await (await open()).enter([ssh], 2)
  expect(inWords(await (await open({ found: false })).enter([], 3))).toEqual(['ssh forgotten'])
})

test('there are never more than a device may have', async () => {
  const book = await open()
  const many = Array.from({ length: 130 }, (_, index) => ({ ...ssh, name: `s${index}` }))
  await book.enter(many, 0)
  expect(book.all()).toHaveLength(100)
})
