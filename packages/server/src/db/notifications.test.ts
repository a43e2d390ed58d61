import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { type Notifications, openNotifications, type Subscription } from './notifications.ts'

async function startSlowProxy({ host, port }: pg.Client, delay: number): Promise<number> {
  const server = createServer((downstream) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    downstream.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => void setTimeout(() => downstream.write(data), delay))
    for (const [one, other] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

interface Opened {
  client: pg.Client
  connection: pg.ClientConfig
  received(): number
}

const CHANNEL = 'test_channel'

async function openDatabase(): Promise<Opened> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const client = new pg.Client(database.connection)
  await client.connect()
  onTestFinished(() => client.end())
  let received = 0
  client.on('notification', () => received++)
  await client.query(`listen ${CHANNEL}`)
  return { client, connection: database.connection, received: () => received }
}

function open(connection: pg.ClientConfig): Notifications {
  const notifications = openNotifications({ connection, log: pino({ level: 'silent' }) })
  onTestFinished(() => notifications.close())
  return notifications
}

const wait = { timeout: 30_000 }

describe('the notification connection', () => {
  it('runs one statement at a time, and queues notifications while a statement is running', async () => {
    const warnings: string[] = []
    // The PostgreSQL client warns if a second statement is sent while another is running.
    const warn = ({ message }: Error): void => void (message.includes('query') && warnings.push(message))
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const { client, received } = await openDatabase()
    const { user, password, database } = client
    const port = await startSlowProxy(client, 100)
    const notifications = open({ user, password, database, host: '127.0.0.1', port })
    const opened = Promise.withResolvers<void>()
    notifications.subscribe({ channel: CHANNEL, onNotification() {}, onGap: opened.resolve })
    await opened.promise

    for (let time = 0; time < 30 || received() < 2; time++) {
      notifications.notify(CHANNEL)
      await sleep(15)
    }
    const before = received()
    expect(before).toBeGreaterThan(1)
    notifications.notify(CHANNEL)
    await expect.poll(received, wait).toBeGreaterThan(before)
    expect(warnings).toEqual([])
  })

  it("distinguishes its own notifications from other clients'", async () => {
    const { client, connection } = await openDatabase()
    const notifications = open(connection)
    const seen: unknown[] = []
    const opened = Promise.withResolvers<void>()
    notifications.subscribe({ channel: CHANNEL, onNotification: (each) => seen.push(each), onGap: opened.resolve })
    await opened.promise
    // Notify at each poll. On a slow machine, the connection may be lost at any time, and a notification with it.
    const receiveFromAnother = async (): Promise<unknown[]> => {
      await client.query(`notify ${CHANNEL}, 'from another'`)
      return seen
    }
    await expect.poll(receiveFromAnother, wait).toContainEqual({ payload: 'from another', isOwn: false })
    expect(seen).not.toContainEqual(expect.objectContaining({ isOwn: true }))
    notifications.notify(CHANNEL)
    await expect.poll(() => seen, wait).toContainEqual({ payload: '', isOwn: true })
  })

  it('listens on channels that are added later, and closes subscriptions independently', async () => {
    const { client, connection } = await openDatabase()
    const notifications = open(connection)
    const seen: string[] = []
    const subscribe = async (channel: string): Promise<Subscription> => {
      const opened = Promise.withResolvers<void>()
      const onNotification = ({ payload }: { payload: string }) => void seen.push(`${channel}: ${payload}`)
      const subscription = notifications.subscribe({ channel, onNotification, onGap: opened.resolve })
      await opened.promise
      return subscription
    }
    const first = await subscribe('test_first')
    await subscribe('test_second')
    // Notify at each poll. On a slow machine, the connection may be lost at any time, and a notification with it.
    const send = async (payload: string): Promise<string[]> => {
      await client.query(`notify test_first, '${payload}'; notify test_second, '${payload}'`)
      return seen
    }
    await expect.poll(() => send('a'), wait).toEqual(expect.arrayContaining(['test_first: a', 'test_second: a']))
    first.close()
    await expect.poll(() => send('b'), wait).toContain('test_second: b')
    expect(seen).not.toContain('test_first: b')
  })

  it('reconnects after a lost connection, reports the gap, and repeats the last notification', async () => {
    const { client, connection, received } = await openDatabase()
    const notifications = open(connection)
    let gaps = 0
    const subscription = notifications.subscribe({ channel: CHANNEL, onNotification() {}, onGap: () => gaps++ })
    await expect.poll(() => gaps, wait).toBeGreaterThan(0)
    await expect.poll(() => subscription.isCurrent(), wait).toBe(true)
    notifications.notify(CHANNEL)
    await expect.poll(received, wait).toBeGreaterThan(0)
    const before = { gaps, received: received() }
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'muster notifications'`)
    await expect.poll(() => gaps, wait).toBeGreaterThan(before.gaps)
    await expect.poll(received, wait).toBeGreaterThan(before.received)
    await expect.poll(() => subscription.isCurrent(), wait).toBe(true)
  })
})
