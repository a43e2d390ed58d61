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

let setup: AttributeWrites
beforeAll(async () => {
  setup = await openAttributeWrites({ devices: 100 })
})
afterAll(() => setup.drop())

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

const level = fc.constantFrom('a', 'b', 'c', '__proto__', '12')
const name: fc.Arbitrary<AttributeName> = fc.oneof(fc.tuple(level), fc.tuple(level, fc.constantFrom('x', 'y', 'b.c')))
const value = fc.constantFrom(null, '', 'x', 'y', 'Ø "\\\n\u{1f600}')
const changes = (atMost: number) => fc.array(fc.record({ name, value }), { maxLength: atMost })

test('applies several writes in one statement like separate writes, but applies none if one is rejected', async () => {
  const devices = setup.nextDevices(2) as [string, string]
  const [together, singly] = devices
  const hasEqualResult = fc.asyncProperty(
    changes(4),
    fc.uniqueArray(fc.record({ name, value }), { minLength: 1, maxLength: 4, selector: ({ name: [first] }) => first }),
    async (before, inputs) => {
      await sql`update device set attributes = '{}' where id = any(${devices})`.execute(setup.db)
      for (const id of devices)
        for (const each of before) await setOnDevice(setup.db, setup.write(id, each.name, each.value))
      const initial = await setup.attributesOf(together)
      await sql`delete from event`.execute(setup.db)

      const writes = inputs.map((each) => setup.write(together, each.name, each.value))
      const outcomes = await setOnDevices(setup.db, setup.accountId, { writes, waits: false })
      const alone: (boolean | undefined)[] = []
      for (const each of inputs) alone.push(await setOnDevice(setup.db, setup.write(singly, each.name, each.value)))

      const isDone = alone.every((each) => each === true)
      expect(outcomes).toEqual(inputs.map(() => (isDone ? 'done' : 'refused')))
      expect(await setup.attributesOf(together)).toEqual(isDone ? await setup.attributesOf(singly) : initial)
      const inOrder = (list: Change[]) => list.toSorted((one, other) => (one.name < other.name ? -1 : 1))
      expect(inOrder(await setup.changesOf(together))).toEqual(isDone ? inOrder(await setup.changesOf(singly)) : [])
    },
  )
  await fc.assert(hasEqualResult, { numRuns: 40 })
})

test('combines concurrent writes in shared statements, each with its own result and event', async () => {
  const devices = setup.nextDevices(50)
  const { watched, sent } = connectAndRecord(setup.connection)
  const writes = devices.flatMap((id) => [setup.write(id, ['site'], 'oslo'), setup.write(id, ['net', 'ssid'], 'home')])
  const results = await Promise.all(writes.map((each) => setTogether(watched, each)))
  await watched.destroy()
  expect(results).toEqual(writes.map(() => true))
  expect(sent.length).toBeLessThan(10)
  for (const id of devices) {
    expect(await setup.attributesOf(id)).toEqual({ site: 'oslo', net: { ssid: 'home' } })
    expect((await setup.changesOf(id)).map(({ name }) => name).sort()).toEqual(['net.ssid', 'site'])
  }
})

test('applies more concurrent writes than fit in one statement', async () => {
  const devices = setup.nextDevices(3)
  const names = range(190).map((index) => `name ${index}`)
  const writes = names.flatMap((name) => devices.map((id) => setup.write(id, [name], 'x')))
  expect(await Promise.all(writes.map((each) => setTogether(setup.db, each)))).toEqual(writes.map(() => true))
  for (const id of devices) {
    expect(await setup.attributesOf(id)).toEqual(Object.fromEntries(names.map((name) => [name, 'x'])))
    expect(await setup.changesOf(id)).toHaveLength(names.length)
  }
})

test('applies writes to one name by different actors in order', async () => {
  const id = setup.nextDevice()
  const writes = range(30).map((index) => ({
    ...setup.write(id, ['site'], `${index}`),
    actorId: index % 3 === 0 ? null : setup.accountId,
  }))
  expect(await Promise.all(writes.map((each) => setTogether(setup.db, each)))).toEqual(writes.map(() => true))
  expect(await setup.changesOf(id)).toEqual(
    range(30).map((index) => ({
      name: 'site',
      old: index === 0 ? null : `${index - 1}`,
      new: `${index}`,
      actor: index % 3 === 0 ? null : setup.accountId,
    })),
  )
})

test('loses no value when two servers write to one device, and records correct old values', async () => {
  const id = setup.nextDevice()
  const servers = [connectToDatabase(setup.connection), connectToDatabase(setup.connection)]
  const writes = servers.flatMap((server, index) =>
    range(60).map((number) => [server, setup.write(id, [`name ${number % 7}`], `${index} ${number}`)] as const),
  )
  const results = await Promise.all(writes.map(([server, each]) => setTogether(server, each)))
  for (const server of servers) await server.destroy()
  expect(results).toEqual(writes.map(() => true))
  const previous = new Map<string, string | null>()
  const all = await setup.changesOf(id)
  expect(all).toHaveLength(writes.length)
  for (const change of all) {
    expect(change.old).toBe(previous.get(change.name) ?? null)
    previous.set(change.name, change.new)
  }
  expect(await setup.attributesOf(id)).toEqual(Object.fromEntries(previous))
})

test('adds each statement to the trace of the request whose write it contains', async () => {
  const requestScope = new AsyncLocalStorage<string>()
  const { watched, sent } = connectAndRecord(setup.connection, () => requestScope.getStore())
  const id = setup.nextDevice()
  // All requests write the same name, so each write waits for the previous one and runs in a separate statement.
  const requests = range(4).map((index) => `request ${index}`)
  await Promise.all(
    requests.map((request) =>
      requestScope.run(request, () => setTogether(watched, setup.write(id, ['site'], request))),
    ),
  )
  await watched.destroy()
  expect(sent).toEqual(requests)
})
