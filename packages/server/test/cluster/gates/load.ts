import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { type Logger, pino } from 'pino'
import { expect } from 'vitest'
import { openNotifications } from '../../../src/db/notifications.ts'
import { createFeed } from '../../../src/features/events/feed/feed.ts'
import { register } from '../../api/bulk-jobs.ts'
import type { TestApp, TestUser } from '../../harness/app.ts'
import { startReader } from './reader.ts'

const ACCOUNTS = 3
const DEVICES = 4
/** The pause of a writer after a failed request, in milliseconds. */
const PAUSE_MS = 50
/** The writers are stuck if they make too few changes in this time, in milliseconds. */
const STUCK_MS = 120_000

export interface Load {
  users: readonly TestUser[]
  /**
   * Resolves when the servers have acknowledged `changes` more changes of each writer. Rejects if a writer fails or is
   * stuck.
   */
  progress(changes: number): Promise<void>
  /**
   * Stops the writers and returns a summary. Throws if a writer failed, the server logged an error, a change was lost,
   * an event was missed, or no change used a worker.
   */
  finish(): Promise<string>
}

interface Writer {
  user: TestUser
  /** Reads lists on the workers. */
  reader: TestUser
  deviceId: string
  sent: number
  acknowledged: number[]
  /** The number of lists that contained the last acknowledged number. */
  read: number
  unavailable: number
}

/**
 * Starts writers that send increasing numbers, one at a time, and accept only the error UNAVAILABLE. Half of them send
 * the numbers to a server that uses the workers. After each acknowledgment, a writer reads its number from that server.
 */
export async function startLoad(app: TestApp, errors: readonly string[]): Promise<Load> {
  const users = await Promise.all(Array.from({ length: ACCOUNTS }, () => app.createUser()))
  const { reader, countWrites } = await startReader(app)
  const writers: Writer[] = []
  for (const user of users)
    for (let index = 0; index < DEVICES; index++) {
      const deviceId = await register(user, `pump ${index}`)
      const sender = index % 2 === 0 ? user : reader.as(user)
      writers.push({
        user: sender,
        reader: reader.as(user),
        deviceId,
        sent: 0,
        acknowledged: [],
        read: 0,
        unavailable: 0,
      })
    }
  const follower = await followFeed(app)
  const stopped = new AbortController()
  const running = Promise.all(writers.map((writer) => write(writer, errors, stopped.signal)))
  // A writer that fails ends the load, and `progress` or `finish` then reports the error.
  running.catch(() => stopped.abort())
  const isBehind = (targets: readonly number[]): boolean =>
    writers.some(({ acknowledged }, index) => acknowledged.length < targets[index]!)
  return {
    users,
    async progress(changes) {
      const targets = writers.map(({ acknowledged }) => acknowledged.length + changes)
      const stuckAt = performance.now() + STUCK_MS
      while (isBehind(targets)) {
        await Promise.race([sleep(20), stopped.signal.aborted ? running : sleep(20)])
        if (performance.now() > stuckAt) throw new Error(await describeStuck(app, writers, targets))
      }
    },
    async finish() {
      stopped.abort()
      await running
      expect(errors).toEqual([])
      // If a node fails during a two-phase commit, Citus commits or rolls back its transactions after the node returns.
      await expect.poll(() => countPrepared(app)).toEqual(0)
      const stored = await readStored(app, follower.start)
      await expect.poll(() => follower.received.length).toBe(stored.length)
      expect(follower.received).toEqual(stored.map(({ id }) => id))
      await follower.close()
      for (const writer of writers) await expectNothingLost(writer, stored)
      const acknowledged = sum(writers, (writer) => writer.acknowledged.length)
      const read = sum(writers, (writer) => writer.read)
      const unavailable = sum(writers, (writer) => writer.unavailable)
      expect(countWrites()).toBeGreaterThan(0)
      return `${acknowledged} acknowledged changes, 0 lost; ${countWrites()} sent to the workers; ${read} read at once; ${stored.length} events, 0 missed; ${unavailable} requests UNAVAILABLE`
    },
  }
}

async function write(writer: Writer, logged: readonly string[], stopped: AbortSignal): Promise<void> {
  const { user, deviceId: id } = writer
  /** Returns undefined if the server is unavailable. */
  const send = async (by: TestUser, document: string, variables: Record<string, unknown>) => {
    const { data, errors } = await by.query(document, variables)
    if (errors === undefined) return data
    if (errors[0]!.extensions.code !== 'UNAVAILABLE') throw new Error([errors[0]!.message, ...logged].join('\n'))
    writer.unavailable++
    await sleep(PAUSE_MS)
    return undefined
  }
  while (!stopped.aborted) {
    const number = ++writer.sent
    const changed = await send(
      user,
      'mutation ($id: String!, $value: String!) { setAttribute(serviceId: $id, name: "number", value: $value) }',
      { id, value: String(number) },
    )
    if (changed === undefined) continue
    writer.acknowledged.push(number)
    const list = await send(writer.reader, listOfDevice, { id: [id] })
    if (list === undefined) continue
    expect(list.login.devices.items[0].attributes.number).toBe(String(number))
    writer.read++
  }
}

/** Lists the writers that are behind, and the sessions and prepared transactions on each node. */
async function describeStuck(app: TestApp, writers: readonly Writer[], targets: readonly number[]): Promise<string> {
  const behind = writers.flatMap(({ acknowledged, sent, unavailable }, index) =>
    acknowledged.length < targets[index]!
      ? [`writer ${index}: ${sent} sent, ${acknowledged.length} acknowledged, ${unavailable} UNAVAILABLE`]
      : [],
  )
  const { rows } = await sql<{ nodeid: number; result: string }>`
    select nodeid, result from run_command_on_all_nodes($$select json_build_object(
      'sessions', (select json_agg(json_build_array(pid, pg_blocking_pids(pid), backend_type, state, wait_event,
        now() - state_change, left(query, 200))) from pg_stat_activity where datname = current_database()),
      'prepared', (select json_agg(json_build_array(gid, now() - prepared)) from pg_prepared_xacts
        where database = current_database()))$$)`.execute(app.db)
  const nodes = rows.map(({ nodeid, result }) => `node ${nodeid}: ${result}`)
  return ['the writers are stuck', ...behind, ...nodes].join('\n')
}

async function countPrepared(app: TestApp): Promise<number> {
  const { rows } = await sql<{ result: string }>`
    select result from run_command_on_all_nodes('select count(*) from pg_prepared_xacts
      where database = current_database()')`.execute(app.db)
  return sum(rows, ({ result }) => Number(result))
}

const listOfDevice = 'query ($id: [String!]) { login { devices(id: $id) { items { attributes } } } }'

interface StoredEvent {
  id: string
  deviceId: string
  number: string
}

export async function readStored(app: TestApp, start: bigint): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select id::text, device_id as "deviceId", data -> 'changes' -> 'number' ->> 'new' as number from event
    where event.id > ${String(start)}::bigint order by event.id`.execute(app.db)
  return rows
}

/** Checks that each acknowledged change has an event, the events are in order, and the last value is stored. */
async function expectNothingLost({ user, deviceId, acknowledged }: Writer, stored: readonly StoredEvent[]) {
  const numbers = stored.filter((event) => event.deviceId === deviceId).map(({ number }) => Number(number))
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
  expect(acknowledged.filter((number) => !numbers.includes(number))).toEqual([])
  const { login } = await user.data(listOfDevice, { id: [deviceId] })
  expect(login.devices.items[0].attributes.number).toBe(String(numbers.at(-1)))
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)

const quiet = pino({ level: 'silent' })

export async function followFeed({ db, connection }: { db: TestApp['db']; connection: pg.ClientConfig }) {
  const notifications = openNotifications({ connection, log: quiet })
  const feed = createFeed({ db, notifications, log: quiet, isCluster: true })
  const start = await feed.readNow()
  await expect.poll(() => feed.position).toBe(start)
  const received: string[] = []
  feed.subscribe(({ events }) => void received.push(...events.map(({ id }) => id)))
  return {
    feed,
    start,
    received,
    async close() {
      await feed.close()
      await notifications.close()
    },
  }
}

export function collectErrors(): { log: Logger; errors: string[] } {
  const errors: string[] = []
  return { errors, log: pino({ level: 'error' }, { write: (line) => void errors.push(line) }) }
}
