import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { eventChannel, openWakeChannel } from './wake-channel.ts'

/** A way to the database on which every answer takes this long. */
async function openSlowWay({ host, port }: pg.Client, delay: number): Promise<number> {
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    near.on('data', (data) => far.write(data))
    far.on('data', (data) => void setTimeout(() => near.write(data), delay))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it('asks one thing at a time, and tells of what came meanwhile afterwards', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const warnings: string[] = []
  // Of the client of the database, which warns of a second statement while one runs.
  const warn = ({ message }: Error): void => void (message.includes('query') && warnings.push(message))
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))

  const listener = new pg.Client(database.connection)
  await listener.connect()
  onTestFinished(() => listener.end())
  let heard = 0
  listener.on('notification', () => heard++)
  await listener.query(`listen ${eventChannel}`)

  const { user, password, database: name } = listener
  const port = await openSlowWay(listener, 100)
  const connection = { user, password, database: name, host: '127.0.0.1', port }
  const opened = Promise.withResolvers<void>()
  const channel = openWakeChannel({ connection, log: pino({ level: 'silent' }), onWake: opened.resolve })
  onTestFinished(() => channel.close())
  await opened.promise

  for (let time = 0; time < 30 || heard < 2; time++) {
    channel.notify()
    await sleep(15)
  }
  const before = heard
  expect(before).toBeGreaterThan(1)
  channel.notify()
  await expect.poll(() => heard, { timeout: 30_000 }).toBeGreaterThan(before)
  expect(warnings).toEqual([])
})
