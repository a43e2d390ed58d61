import { sql } from 'kysely'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database/test-database.ts'
import { ApiError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Database } from '../database.ts'
import type { StatementScheduler } from './statement-scheduler.ts'
import { queryDatabase, userDatabase, walk } from './user-database.ts'

type Counts = Pick<StatementScheduler, 'inFlight' | 'waiting'>

/** Opens a database with ten connections, of which one user can use three. */
async function open({ queryMs = 0, processors = 4, waitMs = 60_000 } = {}): Promise<TestDatabase & { counts: Counts }> {
  let counts: Counts | undefined
  const onOpen = (given: Counts): void => {
    counts = given
  }
  const database = await createTestDatabase({ statementsPerUser: 3, queryMs, processors, waitMs, onOpen })
  onTestFinished(() => database.drop())
  return { ...database, counts: counts! }
}

/** Makes statements from `blocked` wait until the returned function is called. */
async function holdLock({ connection }: TestDatabase): Promise<() => Promise<void>> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query('select pg_advisory_lock(1)')
  let isHeld = true
  const release = async (): Promise<void> => {
    if (isHeld) await client.end()
    isHeld = false
  }
  onTestFinished(release)
  return release
}

const blocked = (db: Database): Promise<unknown> => sql`select pg_advisory_lock_shared(1), ${1}::int`.execute(db)
const quick = async (db: Database): Promise<number> =>
  (await sql<{ one: number }>`select ${1}::int as one`.execute(db)).rows[0]!.one
const waitUntil = (condition: () => boolean): Promise<boolean> => pollUntil(async () => condition(), Boolean)
const failure = (result: Promise<unknown>): Promise<unknown> => result.catch((error: unknown) => error)

const isIdle = ({ counts }: { counts: Counts }): boolean =>
  Object.values(counts.inFlight()).every((count) => count === 0) &&
  Object.values(counts.waiting()).every((count) => count === 0)

it("limits one user's statements in flight without delaying other users", async () => {
  const database = await open()
  const release = await holdLock(database)
  const greedy = Array.from({ length: 40 }, () => blocked(userDatabase(database.db, 'greedy')))
  await waitUntil(() => database.counts.inFlight().quick === 3)
  expect(database.counts.waiting().quick).toBe(37)
  for (const user of ['b', 'c', 'd']) expect(await quick(userDatabase(database.db, user))).toBe(1)
  await release()
  await Promise.all(greedy)
  expect(isIdle(database)).toBe(true)
})

it('reserves connections for the server when users use all of theirs', async () => {
  const database = await open()
  const release = await holdLock(database)
  const users = ['a', 'b', 'c', 'd'].flatMap((user) =>
    Array.from({ length: 20 }, () => blocked(userDatabase(database.db, user))),
  )
  await waitUntil(() => database.counts.inFlight().quick === 8)
  for (let times = 0; times < 20; times++) expect(await quick(database.db)).toBe(1)
  expect(await Promise.all([quick(database.db), quick(database.db)])).toEqual([1, 1])
  await release()
  await Promise.all(users)
  expect(isIdle(database)).toBe(true)
})

it('assigns a free connection to the user with the fewest statements in flight, not to the first user', async () => {
  const database = await open()
  const release = await holdLock(database)
  const results = ['a', 'b', 'c'].flatMap((user) =>
    Array.from({ length: 30 }, () => failure(blocked(userDatabase(database.db, user)))),
  )
  await waitUntil(() => database.counts.inFlight().quick === 8)
  const late = quick(userDatabase(database.db, 'late'))
  await waitUntil(() => database.counts.waiting().quick === 83)
  await pollUntil(
    () => cancelOne(database.db),
    (isCanceled) => isCanceled,
  )
  // All other statements are still waiting for the lock or for a connection.
  expect(await late).toBe(1)
  await release()
  await Promise.all(results)
  expect(isIdle(database)).toBe(true)
})

async function cancelOne(db: Database): Promise<boolean> {
  const { rows } = await sql<{ isCanceled: boolean }>`select pg_cancel_backend(pid) as "isCanceled"
    from pg_stat_activity where datname = current_database() and wait_event = 'advisory' limit 1`.execute(db)
  return rows[0]?.isCanceled === true
}

it.each([
  { processors: 4, atATime: 4, limit: 'half of the user connections' },
  { processors: 2, atATime: 3, limit: 'one connection more than there are processors' },
])(
  'runs statements without an index on at most $limit, without delaying quick statements',
  async ({ processors, atATime }) => {
    const database = await open({ processors })
    const release = await holdLock(database)
    const walks = ['a', 'b', 'c', 'd'].flatMap((user) =>
      Array.from({ length: 5 }, () => walk(userDatabase(database.db, user), ['all'], blocked)),
    )
    await waitUntil(() => database.counts.inFlight().walking === atATime)
    expect(database.counts.waiting().walking).toBe(20 - atATime)
    // Quick statements must not wait for any user's statements without an index.
    for (const user of ['a', 'b', 'e']) expect(await quick(userDatabase(database.db, user))).toBe(1)
    await release()
    await Promise.all(walks)
    expect(isIdle(database)).toBe(true)
  },
)

it('rejects a statement when too many statements of the account are waiting', async () => {
  const database = await open()
  const release = await holdLock(database)
  const db = userDatabase(database.db, 'greedy')
  const results = Array.from({ length: 3 + limits.waitingStatements }, () => blocked(db))
  const error = await failure(blocked(db))
  expect(error).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfter: 1 } })
  expect((error as Error).message).toMatch(/^1000 statements of this account are waiting/)
  expect(await quick(userDatabase(database.db, 'other'))).toBe(1)
  await release()
  await Promise.all(results)
  expect(isIdle(database)).toBe(true)
})

it('rejects a statement that waits too long, and reports what it waited for', async () => {
  const database = await open({ waitMs: 5_000 })
  const release = await holdLock(database)
  const db = userDatabase(database.db, 'greedy')
  const walks = Array.from({ length: 3 }, () => failure(walk(db, ['all'], blocked)))
  const others = Array.from({ length: 2 }, () => failure(blocked(db)))
  await waitUntil(() => database.counts.inFlight().quick === 1)
  const rejected = (await Promise.all([walks[2], others[1]])) as ApiError[]
  for (const error of rejected) expect(error).toBeInstanceOf(ApiError)
  expect(rejected.map(({ code, details }) => [code, details.retryAfter])).toEqual([
    ['RATE_LIMITED', 1],
    ['RATE_LIMITED', 1],
  ])
  expect(rejected[0]!.message).toMatch(/queries that may read every record, an account may run at most 2 at a time/)
  expect(rejected[1]!.message).toMatch(/this account has 3 statements running/)
  await release()
  await Promise.all([...walks, ...others])
  expect(isIdle(database)).toBe(true)
})

it("reports that a statement without an index waited for other users' statements", async () => {
  const database = await open({ waitMs: 5_000 })
  const release = await holdLock(database)
  const others = ['a', 'a', 'b', 'b'].map((user) => walk(userDatabase(database.db, user), ['all'], blocked))
  await waitUntil(() => database.counts.inFlight().walking === 4)
  const error = await failure(walk(userDatabase(database.db, 'c'), ['all'], blocked))
  expect(error).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(
      /no connection for queries that may read every record was free, and all accounts share/,
    ),
    details: { retryAfter: 1 },
  })
  await release()
  await Promise.all(others)
  expect(isIdle(database)).toBe(true)
})

it('cancels a statement without an index at its time limit and reports why, without affecting the next statement', async () => {
  const database = await open({ queryMs: 300 })
  const release = await holdLock(database)
  const db = userDatabase(database.db, 'slow')
  for (let times = 0; times < 3; times++) {
    const error = await failure(walk(db, ['sort: "x" has no index'], blocked))
    expect(error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'reading from the database took longer than 0.3 seconds: sort: "x" has no index',
    })
    expect(await Promise.all(Array.from({ length: 10 }, () => quick(db)))).toEqual(Array(10).fill(1))
  }
  expect(isIdle(database)).toBe(true)
  await release()
})

it('cancels each query statement at its time limit without canceling other statements', async () => {
  const database = await open({ queryMs: 300 })
  const release = await holdLock(database)
  const changing = blocked(userDatabase(database.db, 'slow'))
  const reading = queryDatabase(database.db, 'slow')
  const inTransaction = reading
    .transaction()
    .execute(async (transaction) => [await quick(transaction), await blocked(transaction)])
  for (const error of await Promise.all([failure(blocked(reading)), failure(inTransaction)]))
    expect(error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'reading from the database took longer than 0.3 seconds; request fewer records, or retry later',
      details: { limit: 0.3 },
    })
  expect(await Promise.all(Array.from({ length: 10 }, () => quick(userDatabase(database.db, 'slow'))))).toEqual(
    Array(10).fill(1),
  )
  await release()
  await changing
  expect(isIdle(database)).toBe(true)
})

it("releases a statement's slot after any error", async () => {
  const database = await open()
  const db = userDatabase(database.db, 'unlucky')
  const wrong = (on: Database): Promise<unknown> => sql`select 1 / ${0}::int`.execute(on)
  const killed = (on: Database): Promise<unknown> => sql`select pg_terminate_backend(pg_backend_pid())`.execute(on)
  const kinds: (() => Promise<unknown>)[] = [
    () => wrong(db),
    () => killed(db),
    () => walk(db, ['all'], wrong),
    () => walk(db, ['all'], killed),
    () => db.transaction().execute(wrong),
    () => db.transaction().execute(killed),
    () => db.transaction().execute(() => Promise.reject(new Error('ours'))),
    () => db.connection().execute(wrong),
  ]
  const failures = await Promise.all(Array.from({ length: 40 }, (_, index) => failure(kinds[index % kinds.length]!())))
  for (const error of failures) expect(error).toBeInstanceOf(Error)
  expect(isIdle(database)).toBe(true)
  // The pool may use a killed connection once more before it detects the broken connection.
  await Promise.all(Array.from({ length: 20 }, () => failure(quick(db))))
  expect(await Promise.all(Array.from({ length: 20 }, () => quick(db)))).toEqual(Array(20).fill(1))
  expect(isIdle(database)).toBe(true)
})

it('rejects statements with the error of a closed pool, not with RATE_LIMITED', async () => {
  const database = await createTestDatabase({ statementsPerUser: 2, queryMs: 0 })
  await database.drop()
  const db = userDatabase(database.db, 'user')
  for (const error of await Promise.all(Array.from({ length: 10 }, () => failure(quick(db)))))
    expect(error).toMatchObject({ message: 'Cannot use a pool after calling end on the pool' })
})

it('counts a transaction as one statement, and runs the statements within it without waiting', async () => {
  const database = await open()
  const db = userDatabase(database.db, 'user')
  const all = await Promise.all(
    Array.from({ length: 12 }, () =>
      db.transaction().execute(async (transaction) => {
        const results = [await quick(transaction), await walk(transaction, ['all'], quick)]
        expect(database.counts.inFlight().quick).toBeLessThanOrEqual(3)
        return results
      }),
    ),
  )
  expect(all).toEqual(Array(12).fill([1, 1]))
  expect(isIdle(database)).toBe(true)
})

it('limits the statements of a user whose database was created before the user was evicted from the cache', async () => {
  const database = await open()
  const ofUser = (user: string): Database => userDatabase(database.db, user)
  const [a, b] = [ofUser('a'), ofUser('b')]
  for (let other = 0; other < 1_100; other++) ofUser(`other ${other}`)
  const release = await holdLock(database)
  const start = (db: Database) => Array.from({ length: 3 }, () => blocked(db))
  const ofA = start(a)
  await waitUntil(() => database.counts.inFlight().quick === 3)
  const results = [...ofA, ...[ofUser('a'), ofUser('b'), b].flatMap(start)]
  await waitUntil(() => database.counts.inFlight().quick + database.counts.waiting().quick === 12)
  expect(database.counts.inFlight().quick).toBe(6)
  await release()
  await Promise.all(results)
  expect(isIdle(database)).toBe(true)
})
