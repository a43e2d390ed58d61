import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { startDatabaseGate } from '../../../test/database-gate.ts'
import { insertDevices } from '../../../test/query-plans.ts'
import { createDatabase, createPool, type Database, type PoolWatch } from '../../db/database.ts'
import { OUTCOME_LOST } from '../../db/lost-outcome.ts'
import type { AttributeName } from './attribute-name.ts'
import { type BaseWrite, setOnDevice, setOnDevices } from './set-attribute.queries.ts'
import { setTogether } from './set-together.ts'

const ACCOUNT = 'account'
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
  await insertDevices(db, ACCOUNT, 400)
})
afterAll(() => database.drop())

let used = 0
/** A device that no other test uses. */
const nextDevice = (): string => `device ${++used}`
const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

const connect = (connection: pg.PoolConfig = database.connection, watch?: PoolWatch): Database =>
  createDatabase(createPool({ connection, size: 4, statementTimeout: 0 }), watch)

/** With a note of each statement that is sent. */
function connectWatched(note = (): string | undefined => undefined): { watched: Database; sent: unknown[] } {
  const sent: unknown[] = []
  const statement: PoolWatch['statement'] = (_text, _name, run) => {
    sent.push(note())
    return run()
  }
  return { watched: connect(database.connection, { statement }), sent }
}

/** Keeps all others from changing a device, until what it resolves with is called. */
async function hold(id: string): Promise<() => Promise<void>> {
  const isHeld = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const held = db.transaction().execute(async (transaction) => {
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

const write = (targetId: string, name: AttributeName, value: string | null): BaseWrite => ({
  accountId: ACCOUNT,
  actorId: ACCOUNT,
  targetId,
  name,
  value,
})

async function attributesOf(id: string): Promise<Record<string, unknown>> {
  const { attributes } = await db
    .selectFrom('device')
    .select('attributes')
    .where('account_id', '=', ACCOUNT)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return attributes as Record<string, unknown>
}

interface Change {
  name: string
  old: string | null
  new: string | null
  actor: string | null
}

/** In the order of their numbers. */
async function changesOf(id: string): Promise<Change[]> {
  const { rows } = await sql<Change>`
    select name, change ->> 'old' as old, change ->> 'new' as new, actor_id as actor
    from event, jsonb_each(data -> 'changes') as each (name, change)
    where account_id = ${ACCOUNT} and device_id = ${id} order by event.id`.execute(db)
  return rows
}

const level = fc.constantFrom('a', 'b', 'c', '__proto__', '12')
const name: fc.Arbitrary<AttributeName> = fc.oneof(fc.tuple(level), fc.tuple(level, fc.constantFrom('x', 'y', 'b.c')))
const value = fc.constantFrom(null, '', 'x', 'y', 'Ø "\\\n\u{1f600}')
const changes = (atMost: number) => fc.array(fc.record({ name, value }), { maxLength: atMost })

test('several at once leave what they leave one after the other, or nothing where one is refused', async () => {
  const devices = range(2).map(nextDevice) as [string, string]
  const [together, singly] = devices
  const judgedAlike = fc.asyncProperty(
    changes(4),
    fc.uniqueArray(fc.record({ name, value }), { minLength: 1, maxLength: 4, selector: ({ name: [first] }) => first }),
    async (before, asked) => {
      await sql`update device set attributes = '{}' where id = any(${devices})`.execute(db)
      for (const id of devices) for (const each of before) await setOnDevice(db, write(id, each.name, each.value))
      const stood = await attributesOf(together)
      await sql`delete from event`.execute(db)

      const writes = asked.map((each) => write(together, each.name, each.value))
      const outcomes = await setOnDevices(db, ACCOUNT, { writes, waits: false })
      const alone: (boolean | undefined)[] = []
      for (const each of asked) alone.push(await setOnDevice(db, write(singly, each.name, each.value)))

      const isDone = alone.every((each) => each === true)
      expect(outcomes).toEqual(asked.map(() => (isDone ? 'done' : 'refused')))
      expect(await attributesOf(together)).toEqual(isDone ? await attributesOf(singly) : stood)
      const inOrder = (list: Change[]) => list.toSorted((one, other) => (one.name < other.name ? -1 : 1))
      expect(inOrder(await changesOf(together))).toEqual(isDone ? inOrder(await changesOf(singly)) : [])
    },
  )
  await fc.assert(judgedAlike, { numRuns: 40 })
})

test('writes that are under way at once share statements; each is answered and has its event', async () => {
  const devices = range(50).map(nextDevice)
  const { watched, sent } = connectWatched()
  const writes = devices.flatMap((id) => [write(id, ['site'], 'oslo'), write(id, ['net', 'ssid'], 'home')])
  const answers = await Promise.all(writes.map((each) => setTogether(watched, each)))
  await watched.destroy()
  expect(answers).toEqual(writes.map(() => true))
  expect(sent.length).toBeLessThan(10)
  for (const id of devices) {
    expect(await attributesOf(id)).toEqual({ site: 'oslo', net: { ssid: 'home' } })
    expect((await changesOf(id)).map(({ name }) => name).sort()).toEqual(['net.ssid', 'site'])
  }
})

test('more than one statement takes are made all the same', async () => {
  const devices = range(3).map(nextDevice)
  const names = range(190).map((index) => `name ${index}`)
  const writes = names.flatMap((name) => devices.map((id) => write(id, [name], 'x')))
  expect(await Promise.all(writes.map((each) => setTogether(db, each)))).toEqual(writes.map(() => true))
  for (const id of devices) {
    expect(await attributesOf(id)).toEqual(Object.fromEntries(names.map((name) => [name, 'x'])))
    expect(await changesOf(id)).toHaveLength(names.length)
  }
})

test('writes of one name follow one another, by whomever they are', async () => {
  const id = nextDevice()
  const writes = range(30).map((index) => ({
    ...write(id, ['site'], `${index}`),
    actorId: index % 3 === 0 ? null : ACCOUNT,
  }))
  expect(await Promise.all(writes.map((each) => setTogether(db, each)))).toEqual(writes.map(() => true))
  expect(await changesOf(id)).toEqual(
    range(30).map((index) => ({
      name: 'site',
      old: index === 0 ? null : `${index - 1}`,
      new: `${index}`,
      actor: index % 3 === 0 ? null : ACCOUNT,
    })),
  )
})

test('two servers lose no value of one device, and every event has what stood before it', async () => {
  const id = nextDevice()
  const servers = [connect(), connect()]
  const writes = servers.flatMap((server, index) =>
    range(60).map((number) => [server, write(id, [`name ${number % 7}`], `${index} ${number}`)] as const),
  )
  const answers = await Promise.all(writes.map(([server, each]) => setTogether(server, each)))
  for (const server of servers) await server.destroy()
  expect(answers).toEqual(writes.map(() => true))
  const standing = new Map<string, string | null>()
  const all = await changesOf(id)
  expect(all).toHaveLength(writes.length)
  for (const change of all) {
    expect(change.old).toBe(standing.get(change.name) ?? null)
    standing.set(change.name, change.new)
  }
  expect(await attributesOf(id)).toEqual(Object.fromEntries(standing))
})

test('a device that somebody holds delays no other', async () => {
  const [held, ...free] = range(8).map(nextDevice) as [string, ...string[]]
  const letGo = await hold(held)
  const answered: string[] = []
  const ask = async (id: string, first: string): Promise<boolean | undefined> => {
    const answer = await setTogether(db, write(id, [first], 'oslo'))
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
  expect(Object.keys(await attributesOf(held))).toHaveLength(waiting.length)
})

test('those that wait in line for a device are told when one of them gave up', async () => {
  const id = nextDevice()
  const letGo = await hold(id)
  const { watched, sent } = connectWatched()
  try {
    const writes = range(6).map((index) => write(id, ['site'], `${index}`))
    const answered = Promise.allSettled(writes.map((each) => setTogether(watched, each)))
    // As PostgreSQL does by itself at a statement that waits for too long.
    const cancelWaiting = sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await cancelWaiting.execute(db)).rows).toHaveLength(1)
    const answers = await answered
    expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(
      writes.map(() => '57014'),
    )
    expect(sent).toHaveLength(1)
  } finally {
    await letGo()
  }
  expect(await setTogether(watched, write(id, ['site'], 'oslo'))).toBe(true)
  await watched.destroy()
  expect((await changesOf(id)).map((change) => change.new)).toEqual(['oslo'])
})

test.each([
  ['sent by itself', 'update device', 0],
  // The one before keeps the account busy.
  ['sent with others', 'skip locked', 1],
])('what came of a statement %s is unknown to no others: those in line are sent', async (_, text, before) => {
  const id = nextDevice()
  const gate = await startDatabaseGate(database.connection)
  const gated = connect({ connectionString: gate.url })
  gate.cutAt([text], 'after')
  const writes = [
    ...range(before).map(() => write(nextDevice(), ['site'], 'oslo')),
    ...['a', 'b', 'c'].map((first) => write(id, [first], 'x')),
  ]
  const answers = await Promise.allSettled(writes.map((each) => setTogether(gated, each)))
  await gated.destroy()
  const told = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code))
  expect(told).toEqual([...range(before).map(() => true), OUTCOME_LOST, true, true])
  expect(await attributesOf(id)).toEqual({ a: 'x', b: 'x', c: 'x' })
})

test('one that is refused costs the others of its device neither their answer nor their turn', async () => {
  const [busy, id] = range(2).map(nextDevice) as [string, string]
  await setOnDevice(db, write(id, ['b'], 'a value'))
  const first = setTogether(db, write(busy, ['a'], 'x'))
  const asked = [
    write(id, ['site'], 'x'),
    write(id, ['b', 'c'], 'no group'),
    write(id, ['net'], 'x'),
    write(id, ['site'], 'y'),
  ]
  expect(await Promise.all(asked.map((each) => setTogether(db, each)))).toEqual([true, false, true, true])
  expect(await first).toBe(true)
  expect((await changesOf(id)).map((change) => [change.name, change.new])).toEqual([
    ['b', 'a value'],
    ['site', 'x'],
    ['net', 'x'],
    ['site', 'y'],
  ])
})

test('what is no device, is refused or fails is nothing to the others', async () => {
  const [good, conflicting, ...devices] = range(12).map(nextDevice) as [string, string, ...string[]]
  await setOnDevice(db, write(conflicting, ['site'], 'oslo'))
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no poison here'; end $$;
    create trigger refuse before update on device for each row when (new.attributes ? 'poison') execute function refuse();
  `.execute(db)
  try {
    const poisoned = devices[3]!
    const asked = [
      ...devices.map((id) => write(id, ['site'], 'oslo')),
      write(poisoned, ['poison'], 'x'),
      write(conflicting, ['site', 'sub'], 'x'),
      write('nobody', ['site'], 'x'),
      write(good, ['site'], 'bergen'),
    ]
    const answers = await Promise.allSettled(asked.map((each) => setTogether(db, each)))
    const told = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message))
    expect(told).toEqual([...devices.map(() => true), 'no poison here', false, undefined, true])
    for (const id of devices) expect(await attributesOf(id)).toEqual({ site: 'oslo' })
    expect(await attributesOf(conflicting)).toEqual({ site: 'oslo' })
  } finally {
    await sql`drop trigger refuse on device; drop function refuse`.execute(db)
  }
})

test('a statement is part of a request whose write it makes', async () => {
  const asking = new AsyncLocalStorage<string>()
  const { watched, sent } = connectWatched(() => asking.getStore())
  const id = nextDevice()
  // One name: each has to wait for the one before, and has a statement of its own.
  const requests = range(4).map((index) => `request ${index}`)
  await Promise.all(
    requests.map((request) => asking.run(request, () => setTogether(watched, write(id, ['site'], request)))),
  )
  await watched.destroy()
  expect(sent).toEqual(requests)
})
