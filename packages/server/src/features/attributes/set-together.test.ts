import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AttributeWrites,
  type Change,
  connectAndRecord,
  connectToDatabase,
  openAttributeWrites,
} from '../../../test/database/attribute-writes.ts'
import type { AttributeName } from './attribute-name.ts'
import { setOnDevice, setOnDevices } from './set-attribute.queries.ts'
import { setTogether } from './set-together.ts'

let here: AttributeWrites
beforeAll(async () => {
  here = await openAttributeWrites({ devices: 100 })
})
afterAll(() => here.drop())

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

const level = fc.constantFrom('a', 'b', 'c', '__proto__', '12')
const name: fc.Arbitrary<AttributeName> = fc.oneof(fc.tuple(level), fc.tuple(level, fc.constantFrom('x', 'y', 'b.c')))
const value = fc.constantFrom(null, '', 'x', 'y', 'Ø "\\\n\u{1f600}')
const changes = (atMost: number) => fc.array(fc.record({ name, value }), { maxLength: atMost })

test('several at once leave what they leave one after the other, or nothing where one is refused', async () => {
  const devices = here.nextDevices(2) as [string, string]
  const [together, singly] = devices
  const judgedAlike = fc.asyncProperty(
    changes(4),
    fc.uniqueArray(fc.record({ name, value }), { minLength: 1, maxLength: 4, selector: ({ name: [first] }) => first }),
    async (before, asked) => {
      await sql`update device set attributes = '{}' where id = any(${devices})`.execute(here.db)
      for (const id of devices)
        for (const each of before) await setOnDevice(here.db, here.write(id, each.name, each.value))
      const stood = await here.attributesOf(together)
      await sql`delete from event`.execute(here.db)

      const writes = asked.map((each) => here.write(together, each.name, each.value))
      const outcomes = await setOnDevices(here.db, here.accountId, { writes, waits: false })
      const alone: (boolean | undefined)[] = []
      for (const each of asked) alone.push(await setOnDevice(here.db, here.write(singly, each.name, each.value)))

      const isDone = alone.every((each) => each === true)
      expect(outcomes).toEqual(asked.map(() => (isDone ? 'done' : 'refused')))
      expect(await here.attributesOf(together)).toEqual(isDone ? await here.attributesOf(singly) : stood)
      const inOrder = (list: Change[]) => list.toSorted((one, other) => (one.name < other.name ? -1 : 1))
      expect(inOrder(await here.changesOf(together))).toEqual(isDone ? inOrder(await here.changesOf(singly)) : [])
    },
  )
  await fc.assert(judgedAlike, { numRuns: 40 })
})

test('writes that are under way at once share statements; each is answered and has its event', async () => {
  const devices = here.nextDevices(50)
  const { watched, sent } = connectAndRecord(here.connection)
  const writes = devices.flatMap((id) => [here.write(id, ['site'], 'oslo'), here.write(id, ['net', 'ssid'], 'home')])
  const answers = await Promise.all(writes.map((each) => setTogether(watched, each)))
  await watched.destroy()
  expect(answers).toEqual(writes.map(() => true))
  expect(sent.length).toBeLessThan(10)
  for (const id of devices) {
    expect(await here.attributesOf(id)).toEqual({ site: 'oslo', net: { ssid: 'home' } })
    expect((await here.changesOf(id)).map(({ name }) => name).sort()).toEqual(['net.ssid', 'site'])
  }
})

test('more than one statement takes are made all the same', async () => {
  const devices = here.nextDevices(3)
  const names = range(190).map((index) => `name ${index}`)
  const writes = names.flatMap((name) => devices.map((id) => here.write(id, [name], 'x')))
  expect(await Promise.all(writes.map((each) => setTogether(here.db, each)))).toEqual(writes.map(() => true))
  for (const id of devices) {
    expect(await here.attributesOf(id)).toEqual(Object.fromEntries(names.map((name) => [name, 'x'])))
    expect(await here.changesOf(id)).toHaveLength(names.length)
  }
})

test('writes of one name follow one another, by whomever they are', async () => {
  const id = here.nextDevice()
  const writes = range(30).map((index) => ({
    ...here.write(id, ['site'], `${index}`),
    actorId: index % 3 === 0 ? null : here.accountId,
  }))
  expect(await Promise.all(writes.map((each) => setTogether(here.db, each)))).toEqual(writes.map(() => true))
  expect(await here.changesOf(id)).toEqual(
    range(30).map((index) => ({
      name: 'site',
      old: index === 0 ? null : `${index - 1}`,
      new: `${index}`,
      actor: index % 3 === 0 ? null : here.accountId,
    })),
  )
})

test('two servers lose no value of one device, and every event has what stood before it', async () => {
  const id = here.nextDevice()
  const servers = [connectToDatabase(here.connection), connectToDatabase(here.connection)]
  const writes = servers.flatMap((server, index) =>
    range(60).map((number) => [server, here.write(id, [`name ${number % 7}`], `${index} ${number}`)] as const),
  )
  const answers = await Promise.all(writes.map(([server, each]) => setTogether(server, each)))
  for (const server of servers) await server.destroy()
  expect(answers).toEqual(writes.map(() => true))
  const standing = new Map<string, string | null>()
  const all = await here.changesOf(id)
  expect(all).toHaveLength(writes.length)
  for (const change of all) {
    expect(change.old).toBe(standing.get(change.name) ?? null)
    standing.set(change.name, change.new)
  }
  expect(await here.attributesOf(id)).toEqual(Object.fromEntries(standing))
})

test('a statement is part of a request whose write it makes', async () => {
  const asking = new AsyncLocalStorage<string>()
  const { watched, sent } = connectAndRecord(here.connection, () => asking.getStore())
  const id = here.nextDevice()
  // One name: each has to wait for the one before, and has a statement of its own.
  const requests = range(4).map((index) => `request ${index}`)
  await Promise.all(
    requests.map((request) => asking.run(request, () => setTogether(watched, here.write(id, ['site'], request)))),
  )
  await watched.destroy()
  expect(sent).toEqual(requests)
})
