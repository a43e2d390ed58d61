import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { isDatabaseAway } from '../graphql/database-away.ts'
import { createDatabase, createPool } from './database.ts'

/** A way to the database that can fall silent: what is connected stays so, and nothing passes any more. */
async function openWay({ host, port }: pg.Client) {
  let isSilent = false
  const sockets: Socket[] = []
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    sockets.push(near, far)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (data) => isSilent || to.write(data))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    setSilent: (value: boolean) => {
      isSilent = value
    },
  }
}

it('a query ends when the database falls silent, and one that is slow goes on', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const own = new pg.Client(database.connection)
  const way = await openWay(own)
  const { user, password, database: name } = own
  const connection = { user, password, database: name, host: '127.0.0.1', port: way.port }
  const db = createDatabase(createPool({ connection, size: 2, statementTimeout: 30_000 }))
  onTestFinished(() => db.destroy())

  const slow = await sql`select pg_sleep(5), 1 as one`.execute(db)
  expect(slow.rows).toMatchObject([{ one: 1 }])

  const cutOff = sql`select pg_sleep(1)`.execute(db).catch((error: unknown) => error)
  way.setSilent(true)
  expect(isDatabaseAway(await cutOff)).toBe(true)

  way.setSilent(false)
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})
