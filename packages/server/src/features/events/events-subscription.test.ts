import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'graphql-sse'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  codesOf,
  EVENTS,
  eventsOf,
  namesOf,
  openStream,
  openTestStream,
  type RawStream,
  signStream,
  until,
} from '../../../test/clients/event-stream.ts'
import { sharedTestApp, type TestApp, type TestUser } from '../../../test/harness/app.ts'

const app = sharedTestApp()
let other: TestApp

let idle: RawStream

beforeAll(async () => {
  other = await app.startAnother()
  // Open this stream first, because the server sends the second keep-alive comment only after an interval.
  idle = await openStream({ app, user: app.owner, query: EVENTS, variables: { types: [] } })
})

afterAll(async () => {
  idle.cut()
  await other.close()
})

const subscribe = (user: TestUser, variables: Record<string, unknown> = {}, query = EVENTS): Promise<RawStream> =>
  openTestStream({ app, user, query, variables })

async function register(user: TestUser, name: string): Promise<string> {
  const { registerDevice } = await user.data(
    'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }',
    { name },
  )
  return registerDevice.device.id
}

async function lastEventId(user: TestUser): Promise<string> {
  return (await user.data('{ login { events(size: 1) { last } } }')).login.events.last
}

describe('an event subscription', () => {
  it('delivers new events from every server in order', async () => {
    const user = await app.createUser()
    await register(user, 'before')
    const stream = await subscribe(user)
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    const id = await register(user, 'here')
    await register(other.as(user), 'there')
    await until(() => stream.messages.length === 2)
    expect(namesOf(stream)).toEqual(['here', 'there'])
    const owner = { id: user.accountId }
    const target = [{ id, name: 'here', kind: 'device' }]
    expect(eventsOf(stream)[0]).toMatchObject({ type: 'DEVICE_REGISTER', owner, actor: owner, target })
  })

  it('works with the graphql-sse client', async () => {
    const user = await app.createUser()
    const client = createClient({
      url: `${app.url}/graphql/v1/stream`,
      fetchFn: (_url: unknown, init: RequestInit) => {
        const { query, variables } = JSON.parse(String(init.body))
        const signed = signStream({ app, user, query, variables })
        return fetch(signed.url, {
          ...init,
          body: signed.body,
          headers: { ...(init.headers as object), ...signed.headers },
        })
      },
    })
    onTestFinished(() => client.dispose())
    const iterator = client.iterate({ query: EVENTS })
    const first = iterator.next()
    let isReceived = false
    const writing = (async () => {
      // The client does not report when it has connected, so register devices until it receives an event.
      for (let time = 0; !isReceived; time++) {
        await register(other.as(user), `device ${time}`)
        await sleep(20)
      }
    })()
    const { value } = await first
    isReceived = true
    await writing
    expect(value).toMatchObject({ data: { events: { type: 'DEVICE_REGISTER' } } })
    await iterator.return?.()
    const wrong = client.iterate({ query: 'subscription { events(after: "1") { id } }' })
    expect((await wrong.next()).value).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] })
    expect((await wrong.next()).done).toBe(true)
  })

  it('resumes after the given event with stored events, and then continues with live events', async () => {
    const user = await app.createUser()
    await register(user, 'a')
    const after = await lastEventId(user)
    for (let number = 0; number < 25; number++) await register(user, `stored ${number}`)
    const stream = await subscribe(user, { after })
    await register(user, 'live')
    await until(() => stream.messages.length === 26)
    expect(namesOf(stream)).toEqual([...Array.from({ length: 25 }, (_, number) => `stored ${number}`), 'live'])
  })

  it('resumes after the given event when the sizes of events vary widely', async () => {
    const user = await app.createUser()
    const after = await lastEventId(user)
    for (const [count, bytes] of [
      [600, 10],
      [60, 100_000],
      [600, 10],
    ])
      await sql`insert into event (account_id, type, targets, data)
        select ${user.accountId}, 'DEVICE_UPDATE', '[]', jsonb_build_object('filling', repeat('x', ${bytes}::int))
        from generate_series(1, ${count}::int)`.execute(app.db)
    const { rows } = await sql<{ id: string }>`
      select id::text from event where account_id = ${user.accountId} and id > ${after}::bigint order by event.id`.execute(
      app.db,
    )
    const stream = await subscribe(user, { after }, 'subscription ($after: ID) { events(after: $after) { id data } }')
    await until(() => stream.messages.length === 1_260)
    expect(eventsOf(stream).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  })

  it('delivers stored and live events, but only those of the requested types and devices', async () => {
    const user = await app.createUser()
    const [one, two] = [await register(user, 'one'), await register(user, 'two')]
    const after = await lastEventId(user)
    const change = async (): Promise<void> => {
      for (const id of [one, two]) {
        await user.data(
          'mutation ($id: String!, $value: String) { setAttribute(name: "a", value: $value, serviceId: $id) }',
          { id, value: String(Math.random()) },
        )
        await user.data('mutation ($id: String!, $name: String!) { renameService(serviceId: $id, name: $name) }', {
          id,
          name: String(Math.random()),
        })
      }
    }
    await change()
    const filters = { types: ['ATTRIBUTE_CHANGE'], deviceId: [two.toUpperCase()] }
    const chosen = await subscribe(user, { ...filters, after })
    const live = await subscribe(user, filters)
    const byType = await subscribe(user, { types: ['ATTRIBUTE_CHANGE'] })
    const none = await subscribe(user, { types: [] })
    const all = await subscribe(user)
    await change()
    const counts = () => [all, chosen, live, byType].map(({ messages }) => messages.length)
    await until(() => counts().join() === '4,2,1,2')
    expect(none.messages).toEqual([])
    for (const event of eventsOf(chosen))
      expect(event).toMatchObject({ type: 'ATTRIBUTE_CHANGE', target: [{ id: two }] })
  })

  it("does not deliver another user's events, and rejects another user's event ID", async () => {
    const [user, otherUser] = [await app.createUser(), await app.createUser()]
    const id = await register(user, 'mine')
    const stream = await subscribe(otherUser, { deviceId: [id] })
    const unfiltered = await subscribe(otherUser)
    await register(user, 'mine too')
    await register(otherUser, 'stranger device')
    await until(() => unfiltered.messages.length === 1)
    expect(namesOf(unfiltered)).toEqual(['stranger device'])
    expect(stream.messages).toEqual([])
    const foreign = await subscribe(otherUser, { after: await lastEventId(user) })
    await foreign.ended
    expect(codesOf(foreign)).toEqual(['NOT_FOUND', 'complete'])
  })

  it.each(['0', '999999999999', 'nonsense', '-1', '99999999999999999999999'])(
    'rejects %s as the event to resume after',
    async (after) => {
      const stream = await subscribe(app.owner, { after })
      await stream.ended
      expect(codesOf(stream)).toEqual(['NOT_FOUND', 'complete'])
    },
  )

  it('sends keep-alive comments while idle', async () => {
    await until(() => idle.text().split(':\n\n').length > 2)
    expect(idle.messages).toEqual([])
  })
})
