import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { testUser } from '../../../test/harness/app.ts'
import { readCredentials, type ServerProcess, startServerProcess } from '../../../test/harness/server-process.ts'
import { unlimited } from '../../../test/harness/unlimited.ts'
import { startReceiver } from '../../../test/harness/webhook-receiver.ts'

const EVENTS = 4_000
const KILLS = 3

/** The test starts servers several times, which takes a long time on a slow machine. */
it('creates one delivery for each matching event, even when servers are killed', { timeout: 600_000 }, async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const folder = await mkdtemp(join(tmpdir(), 'muster-filter-kills-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const env = {
    ...unlimited,
    DATABASE_URL: database.url,
    MUSTER_DATA: folder,
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8',
  }
  const start = (): Promise<ServerProcess> => startServerProcess(env)
  let server = await start()
  const credentials = await readCredentials(folder)
  const owner = testUser(server.url, {
    accountId: '',
    email: credentials.MUSTER_EMAIL!,
    keyId: credentials.MUSTER_ACCESS_KEY_ID!,
    secret: credentials.MUSTER_SECRET_ACCESS_KEY!,
  })
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const { login } = await owner.data('{ login { id } }')
  const { registerDevice } = await owner.data('mutation { registerDevice(name: "a") { device { id } } }')
  const { createWebhook } = await owner.data(
    `mutation { createWebhook(url: "${receiver.url}", events: [ATTRIBUTE_CHANGE], where: "attributes.load = on") { id } }`,
  )
  const device: string = registerDevice.device.id
  // Record changes that set `load` to off, x, and on in turn. With two of every three changes, the device starts or
  // stops matching.
  await sql`
    insert into event (account_id, type, device_id, targets, data)
    select ${login.id}, 'ATTRIBUTE_CHANGE', ${device},
      jsonb_build_array(jsonb_build_object('id', ${device}::text, 'name', 'a', 'kind', 'device')),
      jsonb_build_object('context', null, 'changes', jsonb_build_object('load', jsonb_build_object(
        'old', (array['on', 'off', 'x'])[1 + (number + 2) % 3], 'new', (array['on', 'off', 'x'])[1 + number % 3])))
    from generate_series(1, ${EVENTS}) as number order by number`.execute(database.db)
  const { rows: passing } = await sql<{ id: string }>`
    select id::text from event where type = 'ATTRIBUTE_CHANGE'
      and (data #>> '{changes,load,old}' = 'on' or data #>> '{changes,load,new}' = 'on') order by event.id`.execute(
    database.db,
  )
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from webhook_candidate`.execute(
      database.db,
    )
    return rows[0]!.count
  }
  const delivered = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from webhook_delivery`.execute(
      database.db,
    )
    return rows[0]!.count
  }
  let before = 0
  for (let kill = 0; kill < KILLS; kill++) {
    before = await pollUntil(delivered, (count) => count > before || count >= passing.length)
    await server.stop('SIGKILL')
    server = await start()
  }
  await pollUntil(
    async () => [await waiting(), await delivered()],
    ([left, count]) => left === 0 && count! >= passing.length,
  )
  const { rows: deliveries } = await sql<{ id: string }>`
    select event_id::text as id from webhook_delivery where webhook_id = ${createWebhook.id} order by event_id`.execute(
    database.db,
  )
  expect(deliveries).toEqual(passing)
})
