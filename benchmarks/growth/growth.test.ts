import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { atDatabase } from '../../packages/server/test/global-setup.ts'
import { sharedTestApp, type TestUser } from '../../packages/server/test/harness/app.ts'
import { readExplanations } from '../report/explanations.ts'
import { graphql, toRequest } from '../run/operation.ts'
import type { Fleet } from './fleet.ts'
import { fillAccount, MATCHES } from './fleets.ts'
import { measure, type Result } from './measure-ratio.ts'
import { toMarkdown } from './report.ts'
import { growthRows } from './rows.ts'
import { createSender, type Sender } from './timed-requests.ts'

const EVENTS = 50
const app = sharedTestApp()
let pool: pg.Pool
let sender: Sender
let small: Fleet
let large: Fleet
/** The number of events in each account before the tests. */
let eventCounts: unknown[]

beforeAll(async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db)
  pool = new pg.Pool({ ...atDatabase(inject('testDatabase').connection, rows[0]!.name), max: 2 })
  // Ignore errors of connections that are still closing when the database is dropped. The client or pool emits them.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  sender = createSender(app.url)
  small = await createFleet(app.owner, MATCHES)
  large = await createFleet(await app.createUser(), 3 * MATCHES)
  eventCounts = (await pool.query('select count(*)::int as events from event group by account_id')).rows
})
afterAll(async () => {
  sender?.close()
  await pool?.end()
})

async function createFleet({ accountId, keyId, secret }: TestUser, devices: number): Promise<Fleet> {
  await fillAccount(pool, { accountId, name: accountId, devices, events: EVENTS }, () => {})
  const accessKey = { keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } } as const
  const { rows } = await pool.query<{ id: string; hardware_id: string }>(
    'select id, hardware_id from device where account_id = $1',
    [accountId],
  )
  return {
    user: {
      query: (document, variables) =>
        sender.send(toRequest(app.url, graphql('server', document, variables), accessKey)),
    },
    devices,
    ids: rows.map(({ id }) => id),
    hardwareIds: rows.map((row) => row.hardware_id),
  }
}

test('creates all events, and the same number of matching devices in both fleets', async () => {
  const rows = (await growthRows({ small, large, shortLog: small })).filter(
    ({ title }) => title.startsWith('filter') && !title.includes('hardware'),
  )
  for (const row of rows) {
    const responses = [await row.small(0), await row.large(0)]
    const found = responses.map((response) => response.data().login.devices.items.length)
    expect([row.title, ...found]).toEqual([row.title, MATCHES, MATCHES])
  }
  expect(eventCounts).toEqual([{ events: EVENTS }, { events: EVENTS }])
})

test('measures and lists every row, and explains exactly the rows that miss their target', async () => {
  const rows = await growthRows({ small, large, shortLog: small })
  const results: Result[] = []
  for (const row of rows) results.push(await measure(row, { rounds: 1, turns: 1 }))
  const explanations = new Map(rows.map(({ title }) => [title, `Because of ${title}.`]))
  const report = toMarkdown({
    machine: [],
    method: { devices: 3 * MATCHES, events: EVENTS, smallFleetDevices: MATCHES, matches: MATCHES, rounds: 1, turns: 1 },
    results,
    explanations,
  })
  for (const { title } of rows) expect(report).toContain(`| ${title} `)
  expect(report).toMatch(/^\| total .*\| ≤ 2 +\| (yes|\*\*no\*\*) +\|$/m)
  expect(report).toMatch(/under status writes: \d+ status writes per second \(target: \d+\)/)
  for (const [line, title] of report.matchAll(/^\| (.+?) +\|.*\| (?:yes|\*\*no\*\*) +\|$/gm)) {
    expect(report.includes(`### ${title}\n\n`)).toBe(line.includes('**no**'))
  }
  const titles = rows.map(({ title }) => title)
  const explained = [...(await readExplanations(new URL('shortfalls.md', import.meta.url))).keys()]
  expect(explained.filter((title) => !titles.includes(title))).toEqual([])
})
