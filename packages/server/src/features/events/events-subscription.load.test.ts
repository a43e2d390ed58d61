import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStream, until } from '../../../test/clients/event-stream.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

/** While the test creates many events, the server must not close a stream that its client does not read. */
const env = { MUSTER_READ_TIMEOUT: '600' }
const app = sharedTestApp({ env })
let other: TestApp

beforeAll(async () => {
  other = await app.startAnother({ env })
})

afterAll(() => other.close())

const EVENTS = 'subscription ($after: ID) { events(after: $after) { id } }'

const addEvents = (accountId: string, count: number, bytes: number) =>
  sql`insert into event (account_id, type, targets, data)
    select ${accountId}, 'DEVICE_UPDATE', '[]', jsonb_build_object('filling', repeat('x', ${bytes}::int))
    from generate_series(1, ${count}::int)`

describe('an event subscription under load', () => {
  it('delivers each event exactly once when it is interrupted and resumed 100 times during writes', async () => {
    const user = await app.createUser()
    const writing = new AbortController()
    const writeAsUser = async (worker: number): Promise<void> => {
      const server = worker % 2 === 0 ? app : other
      const { registerDevice } = await server.as(user).data('mutation { registerDevice(name: "d") { device { id } } }')
      const id = registerDevice.device.id
      for (let value = 0; !writing.signal.aborted; value++) {
        const change =
          'mutation ($id: String!, $value: String) { setAttribute(name: "a", value: $value, serviceId: $id) }'
        await server.as(user).data(change, { id, value: String(value) })
        await sleep(Math.random() * 20)
      }
    }
    // Each of these transactions ends some time after its event IDs were assigned.
    const writeLate = async (): Promise<void> => {
      while (!writing.signal.aborted) {
        const lateWrite = app.db.transaction().execute(async (transaction) => {
          await addEvents(user.accountId, 2, 10).execute(transaction)
          await sleep(Math.random() * 60)
          if (Math.random() < 0.4) throw new Error('rolled back')
        })
        await lateWrite.catch(() => {})
      }
    }
    await addEvents(user.accountId, 1, 10).execute(app.db)
    const started = (await user.data('{ login { events(size: 1) { last } } }')).login.events.last
    const writers = Promise.all([writeAsUser(0), writeAsUser(1), writeAsUser(2), writeLate(), writeLate()])

    const received: string[] = []
    const resume = async (isEnough: (found: number) => boolean): Promise<void> => {
      const after = received.at(-1) ?? started
      const stream = await openStream({
        app: received.length % 2 === 0 ? app : other,
        user,
        query: EVENTS,
        variables: { after },
      })
      await until(() => isEnough(stream.messages.length))
      stream.cut()
      received.push(...stream.messages.map(({ data }) => data.data.events.id))
    }
    for (let time = 0; time < 100; time++) {
      const enough = randomInt(6)
      await resume((found) => found >= enough)
    }
    writing.abort()
    await writers
    const { rows } = await sql<{ id: string }>`
      select id::text from event where account_id = ${user.accountId} and id > ${started}::bigint order by event.id`.execute(
      app.db,
    )
    if (received.length < rows.length) await resume((found) => received.length + found >= rows.length)
    expect(rows.length).toBeGreaterThan(100)
    expect(received).toEqual(rows.map(({ id }) => id))
  })

  it('uses little memory, and loses no events, while the client is not reading', async () => {
    const user = await app.createUser()
    const [events, bytes] = [10_000, 4_000]
    const query = 'subscription { events { id data } }'
    const stream = await openStream({ app, user, query })
    stream.response.removeAllListeners('data')
    stream.response.pause()
    const before = usedBytes()
    let max = 0
    for (let part = 0; part < 20; part++) {
      await addEvents(user.accountId, events / 20, bytes).execute(app.db)
      // When another subscription has received a later event, the server has read these events.
      await untilFeedCaughtUp(user)
      max = Math.max(max, usedBytes() - before)
    }
    expect(max).toBeLessThan((events * bytes) / 2)

    const { rows } = await sql<{ id: string }>`
      select id::text from event where account_id = ${user.accountId} and (device_id is not null or data ? 'filling')
      order by event.id`.execute(app.db)
    const ids: string[] = []
    let rest = ''
    stream.response.on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) ids.push(...(block.match(/"id":"\d+"/) ?? []))
    })
    stream.response.resume()
    await until(() => ids.length >= rows.length)
    stream.cut()
    expect(ids).toEqual(rows.map(({ id }) => `"id":"${id}"`))
  })
})

async function untilFeedCaughtUp(user: TestUser): Promise<void> {
  const stream = await openStream({ app, user, query: 'subscription { events(types: [DEVICE_REGISTER]) { id } }' })
  await user.data('mutation { registerDevice(name: "d") { device { id } } }')
  await until(() => stream.messages.length > 0)
  stream.cut()
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function usedBytes(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
