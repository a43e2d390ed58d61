import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AttributeWrites,
  connectAndRecord,
  connectToDatabase,
  openAttributeWrites,
} from '../../../test/database/attribute-writes.ts'
import { startDatabaseProxy } from '../../../test/database/database-proxy.ts'
import { OUTCOME_LOST } from '../../db/pool/lost-outcome.ts'
import { setOnDevice } from './set-attribute.queries.ts'
import { setTogether } from './set-together.ts'

let here: AttributeWrites
beforeAll(async () => {
  here = await openAttributeWrites({ devices: 100 })
})
afterAll(() => here.drop())

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

/** Keeps all others from changing a device, until what it resolves with is called. */
async function hold(id: string): Promise<() => Promise<void>> {
  const isHeld = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const held = here.db.transaction().execute(async (transaction) => {
    await sql`select from device where id = ${id} for update`.execute(transaction)
    isHeld.resolve()
    await letGo.promise
  })
  await Promise.race([isHeld.promise, held])
  return async () => {
    letGo.resolve()
    await held
  }
}

test('a device that somebody holds delays no other', async () => {
  const [held, ...free] = here.nextDevices(8) as [string, ...string[]]
  const letGo = await hold(held)
  const answered: string[] = []
  const ask = async (id: string, first: string): Promise<boolean | undefined> => {
    const answer = await setTogether(here.db, here.write(id, [first], 'oslo'))
    answered.push(id)
    return answer
  }
  // Of the held device one goes first, and more come at every place among the others.
  const waiting = [ask(held, 'a')]
  const others: Promise<boolean | undefined>[] = []
  for (const id of free) {
    others.push(ask(id, 'a'), ask(id, 'b'))
    waiting.push(ask(held, `of ${id}`))
  }
  try {
    expect(await Promise.all(others)).toEqual(others.map(() => true))
    expect(answered).not.toContain(held)
  } finally {
    await letGo()
  }
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => true))
  expect(Object.keys(await here.attributesOf(held))).toHaveLength(waiting.length)
})

test('those that wait in line for a device are told when one of them gave up', async () => {
  const id = here.nextDevice()
  const letGo = await hold(id)
  const { watched, sent } = connectAndRecord(here.connection)
  try {
    const writes = range(6).map((index) => here.write(id, ['site'], `${index}`))
    const answered = Promise.allSettled(writes.map((each) => setTogether(watched, each)))
    // As PostgreSQL does by itself at a statement that waits for too long.
    const cancelWaiting = sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await cancelWaiting.execute(here.db)).rows).toHaveLength(1)
    const answers = await answered
    expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(
      writes.map(() => '57014'),
    )
    expect(sent).toHaveLength(1)
  } finally {
    await letGo()
  }
  expect(await setTogether(watched, here.write(id, ['site'], 'oslo'))).toBe(true)
  await watched.destroy()
  expect((await here.changesOf(id)).map((change) => change.new)).toEqual(['oslo'])
})

test.each([
  ['sent by itself', 'update device', 0],
  // The one before keeps the account busy.
  ['sent with others', 'skip locked', 1],
])('what came of a statement %s is unknown to no others: those in line are sent', async (_, text, before) => {
  const id = here.nextDevice()
  const gate = await startDatabaseProxy(here.connection)
  const gated = connectToDatabase({ connectionString: gate.url })
  gate.cutAt([text], 'after')
  const writes = [
    ...range(before).map(() => here.write(here.nextDevice(), ['site'], 'oslo')),
    ...['a', 'b', 'c'].map((first) => here.write(id, [first], 'x')),
  ]
  const answers = await Promise.allSettled(writes.map((each) => setTogether(gated, each)))
  await gated.destroy()
  const told = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))
  expect(told).toEqual([...range(before).map(() => true), OUTCOME_LOST, true, true])
  expect(await here.attributesOf(id)).toEqual({ a: 'x', b: 'x', c: 'x' })
})

test('one that is refused costs the others of its device neither their answer nor their turn', async () => {
  const [busy, id] = here.nextDevices(2) as [string, string]
  await setOnDevice(here.db, here.write(id, ['b'], 'a value'))
  const first = setTogether(here.db, here.write(busy, ['a'], 'x'))
  const asked = [
    here.write(id, ['site'], 'x'),
    here.write(id, ['b', 'c'], 'no group'),
    here.write(id, ['net'], 'x'),
    here.write(id, ['site'], 'y'),
  ]
  expect(await Promise.all(asked.map((each) => setTogether(here.db, each)))).toEqual([true, false, true, true])
  expect(await first).toBe(true)
  expect((await here.changesOf(id)).map((change) => [change.name, change.new])).toEqual([
    ['b', 'a value'],
    ['site', 'x'],
    ['net', 'x'],
    ['site', 'y'],
  ])
})

test('what is no device, is refused or fails is nothing to the others', async () => {
  const [good, conflicting, ...devices] = here.nextDevices(12) as [string, string, ...string[]]
  await setOnDevice(here.db, here.write(conflicting, ['site'], 'oslo'))
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no poison here'; end $$;
    create trigger refuse before update on device for each row when (new.attributes ? 'poison') execute function refuse();
  `.execute(here.db)
  try {
    const poisoned = devices[3]!
    const asked = [
      ...devices.map((id) => here.write(id, ['site'], 'oslo')),
      here.write(poisoned, ['poison'], 'x'),
      here.write(conflicting, ['site', 'sub'], 'x'),
      here.write('nobody', ['site'], 'x'),
      here.write(good, ['site'], 'bergen'),
    ]
    const answers = await Promise.allSettled(asked.map((each) => setTogether(here.db, each)))
    const told = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message))
    expect(told).toEqual([...devices.map(() => true), 'no poison here', false, undefined, true])
    for (const id of devices) expect(await here.attributesOf(id)).toEqual({ site: 'oslo' })
    expect(await here.attributesOf(conflicting)).toEqual({ site: 'oslo' })
  } finally {
    await sql`drop trigger refuse on device; drop function refuse`.execute(here.db)
  }
})
