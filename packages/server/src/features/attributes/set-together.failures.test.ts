import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AttributeWrites,
  connectAndRecord,
  connectToDatabase,
  openAttributeWrites,
} from '../../../test/database/attribute-writes.ts'
import { startDatabaseProxy } from '../../../test/database/database-proxy.ts'
import { OUTCOME_UNKNOWN } from '../../db/pool/unknown-outcome.ts'
import { setOnDevice } from './set-attribute.queries.ts'
import { setTogether } from './set-together.ts'

let setup: AttributeWrites
beforeAll(async () => {
  setup = await openAttributeWrites({ devices: 100 })
})
afterAll(() => setup.drop())

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

async function lockDevice(id: string): Promise<() => Promise<void>> {
  const isLocked = Promise.withResolvers<void>()
  const unlock = Promise.withResolvers<void>()
  const locked = setup.db.transaction().execute(async (transaction) => {
    await sql`select from device where id = ${id} for update`.execute(transaction)
    isLocked.resolve()
    await unlock.promise
  })
  await Promise.race([isLocked.promise, locked])
  return async () => {
    unlock.resolve()
    await locked
  }
}

test('writes to other devices without delay while one device is locked', async () => {
  const [locked, ...free] = setup.nextDevices(8) as [string, ...string[]]
  const unlock = await lockDevice(locked)
  const finished: string[] = []
  const send = async (id: string, first: string): Promise<boolean | undefined> => {
    const result = await setTogether(setup.db, setup.write(id, [first], 'oslo'))
    finished.push(id)
    return result
  }
  // Mix the writes, so that a queue that waits for the lock would also delay the writes to other devices.
  const waiting = [send(locked, 'a')]
  const others: Promise<boolean | undefined>[] = []
  for (const id of free) {
    others.push(send(id, 'a'), send(id, 'b'))
    waiting.push(send(locked, `of ${id}`))
  }
  try {
    expect(await Promise.all(others)).toEqual(others.map(() => true))
    expect(finished).not.toContain(locked)
  } finally {
    await unlock()
  }
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => true))
  expect(Object.keys(await setup.attributesOf(locked))).toHaveLength(waiting.length)
})

test('rejects the queued writes to a device when a write to that device times out', async () => {
  const id = setup.nextDevice()
  const unlock = await lockDevice(id)
  const { watched, sent } = connectAndRecord(setup.connection)
  try {
    const writes = range(6).map((index) => setup.write(id, ['site'], `${index}`))
    const finished = Promise.allSettled(writes.map((each) => setTogether(watched, each)))
    // Cancel the waiting statement, as a statement timeout would.
    const cancelWaiting = sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await cancelWaiting.execute(setup.db)).rows).toHaveLength(1)
    const results = await finished
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
      writes.map(() => '57014'),
    )
    expect(sent).toHaveLength(1)
  } finally {
    await unlock()
  }
  expect(await setTogether(watched, setup.write(id, ['site'], 'oslo'))).toBe(true)
  await watched.destroy()
  expect((await setup.changesOf(id)).map((change) => change.new)).toEqual(['oslo'])
})

test.each([
  ['with one write', 'update device', 0],
  // The first write makes later writes of the account share a statement.
  ['with several writes', 'skip locked', 1],
])('sends queued writes after a statement %s has an unknown outcome', async (_, text, before) => {
  const id = setup.nextDevice()
  const proxy = await startDatabaseProxy(setup.connection)
  const proxied = connectToDatabase({ connectionString: proxy.url })
  proxy.cutAt([text], 'after')
  const writes = [
    ...range(before).map(() => setup.write(setup.nextDevice(), ['site'], 'oslo')),
    ...['a', 'b', 'c'].map((first) => setup.write(id, [first], 'x')),
  ]
  const results = await Promise.allSettled(writes.map((each) => setTogether(proxied, each)))
  await proxied.destroy()
  const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))
  expect(outcomes).toEqual([...range(before).map(() => true), OUTCOME_UNKNOWN, true, true])
  expect(await setup.attributesOf(id)).toEqual({ a: 'x', b: 'x', c: 'x' })
})

test('keeps the results and order of other writes to a device when one write is rejected', async () => {
  const [busy, id] = setup.nextDevices(2) as [string, string]
  await setOnDevice(setup.db, setup.write(id, ['b'], 'a value'))
  const first = setTogether(setup.db, setup.write(busy, ['a'], 'x'))
  const writes = [
    setup.write(id, ['site'], 'x'),
    setup.write(id, ['b', 'c'], 'no group'),
    setup.write(id, ['net'], 'x'),
    setup.write(id, ['site'], 'y'),
  ]
  expect(await Promise.all(writes.map((each) => setTogether(setup.db, each)))).toEqual([true, false, true, true])
  expect(await first).toBe(true)
  expect((await setup.changesOf(id)).map((change) => [change.name, change.new])).toEqual([
    ['b', 'a value'],
    ['site', 'x'],
    ['net', 'x'],
    ['site', 'y'],
  ])
})

test('applies valid writes alongside rejected writes, failed writes, and writes to unknown devices', async () => {
  const [valid, conflicting, ...devices] = setup.nextDevices(12) as [string, string, ...string[]]
  await setOnDevice(setup.db, setup.write(conflicting, ['site'], 'oslo'))
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no poison here'; end $$;
    create trigger refuse before update on device for each row when (new.attributes ? 'poison') execute function refuse();
  `.execute(setup.db)
  try {
    const poisoned = devices[3]!
    const writes = [
      ...devices.map((id) => setup.write(id, ['site'], 'oslo')),
      setup.write(poisoned, ['poison'], 'x'),
      setup.write(conflicting, ['site', 'sub'], 'x'),
      setup.write('unknown', ['site'], 'x'),
      setup.write(valid, ['site'], 'bergen'),
    ]
    const results = await Promise.allSettled(writes.map((each) => setTogether(setup.db, each)))
    const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))
    expect(outcomes).toEqual([...devices.map(() => true), 'no poison here', false, undefined, true])
    for (const id of devices) expect(await setup.attributesOf(id)).toEqual({ site: 'oslo' })
    expect(await setup.attributesOf(conflicting)).toEqual({ site: 'oslo' })
  } finally {
    await sql`drop trigger refuse on device; drop function refuse`.execute(setup.db)
  }
})
