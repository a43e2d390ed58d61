import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { sharedTestApp } from '../../test/harness/app.ts'
import { sendAs } from '../../test/harness/server-process.ts'

interface Line {
  msg: string
  operation: string
  ms: number
}

const lines: Line[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
/**
 * Returns the log lines of slow requests, except those of registrations, which can also take more than a second on a
 * slow machine.
 */
const slowLines = () => lines.filter(({ msg, operation }) => msg === 'request' && operation !== 'registerDevice')

const app = sharedTestApp({ log })

async function countBlocked(): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
  return rows.length
}

async function changeSlowly(query: string, operationName: string | undefined): Promise<void> {
  const { registerDevice } = await app.owner.data('mutation { registerDevice(name: "gate") { device { id } } }')
  const { id } = registerDevice.device
  const credentials = { MUSTER_ACCESS_KEY_ID: app.owner.keyId, MUSTER_SECRET_ACCESS_KEY: app.owner.secret }
  const before = slowLines().length
  const changed = await app.db.transaction().execute(async (db) => {
    await sql`select from device where account_id = ${app.owner.accountId} for update`.execute(db)
    const change = sendAs(credentials, app.url, { query: query.replaceAll('$id', JSON.stringify(id)), operationName })
    await expect.poll(countBlocked).toBeGreaterThan(0)
    await pause(1_100)
    return { change }
  })
  expect((await changed.change).body).not.toHaveProperty('errors')
  await expect.poll(() => slowLines().length).toBe(before + 1)
}

const rename = 'updateDevice(deviceId: $id, name: "door") { id }'

test.each([
  ['the name of the operation that ran', `query Read { version } mutation Rename { ${rename} }`, 'Rename', 'Rename'],
  [
    'its name despite several root fields',
    `mutation Both { a: ${rename} setAttribute(serviceId: $id, name: "a", value: "b") }`,
    undefined,
    'Both',
  ],
  [
    'the root fields without a name',
    `mutation { ${rename} setAttribute(serviceId: $id, name: "a", value: "b") }`,
    undefined,
    'updateDevice, setAttribute',
  ],
  ['each root field once', `mutation { a: ${rename} b: ${rename} }`, undefined, 'updateDevice'],
  ['the start of a long name', `mutation ${'A'.repeat(500)} { ${rename} }`, undefined, `${'A'.repeat(100)}…`],
])('logs %s for a slow request', async (_what, query, operationName, operation) => {
  await changeSlowly(query, operationName)
  expect(slowLines().at(-1)).toMatchObject({ operation, ms: expect.any(Number) })
})
