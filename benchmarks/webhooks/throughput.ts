import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, run, runMigrations } from 'graphile-worker'
import { sql } from 'kysely'
import { pino } from 'pino'
import { createSecrets } from '../../packages/server/src/auth/secrets.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import { createDatabase } from '../../packages/server/src/db/database.ts'
import { migrate } from '../../packages/server/src/db/migrate.ts'
import { openNotifications } from '../../packages/server/src/db/notifications.ts'
import { createPool } from '../../packages/server/src/db/pool/create-pool.ts'
import { createFeed } from '../../packages/server/src/features/events/feed/feed.ts'
import { createUser } from '../../packages/server/src/features/users/create-user.ts'
import { generateWebhookSecret, sealSecret } from '../../packages/server/src/features/webhooks/webhook-secret.ts'
import { createOutbound } from '../../packages/server/src/outbound/outbound-post.ts'
import { buildWorker } from '../../packages/server/src/worker.ts'
import { startDatabase } from '../environment/database.ts'

const [deliveries = 10_000] = process.argv.slice(2).map(Number)
const CONCURRENCY = 5

const log = pino({ level: 'warn' })
const receiver = spawn(process.execPath, [new URL('receiver-process.ts', import.meta.url).pathname])
const [port] = await once(receiver.stdout, 'data')
const database = await startDatabase()
const { connection } = database
const pool = createPool({ connection, size: 10, statementTimeout: 0 })
const db = createDatabase(pool)
await migrate(db)

/** Measures, for comparison, how fast graphile-worker runs jobs that do nothing. Deliveries use no jobs. */
async function measureBareWorker(): Promise<number> {
  const logger = new Logger(() => () => {})
  await runMigrations({ pgPool: pool, logger })
  await sql`select graphile_worker.add_job('nothing') from generate_series(1, ${deliveries})`.execute(db)
  let done = 0
  const all = Promise.withResolvers<void>()
  const nothing = async (): Promise<void> => {
    if (++done === deliveries) all.resolve()
  }
  const began = performance.now()
  const runner = await run({
    pgPool: pool,
    taskList: { nothing },
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    logger,
  })
  await all.promise
  const rate = (deliveries / (performance.now() - began)) * 1_000
  await runner.stop()
  return rate
}

/** Measures webhook deliveries per second, from writing the events to recording the results of the deliveries. */
async function measureDeliveries(): Promise<number> {
  const secrets = createSecrets(randomBytes(32))
  const { id: accountId } = await createUser(db, { email: `${randomBytes(8).toString('hex')}@example.com` })
  const webhookId = `wh_${accountId}`
  const url = `http://127.0.0.1:${String(port).trim()}/`
  const secret = sealSecret(secrets, { accountId, webhookId }, generateWebhookSecret())
  await sql`
    insert into webhook (account_id, id, url, events, encrypted_secret)
    values (${accountId}, ${webhookId}, ${url}, '{ATTRIBUTE_CHANGE}', ${secret})`.execute(db)
  await sql`insert into webhook_sending (account_id, webhook_id) values (${accountId}, ${webhookId})`.execute(db)
  const config = readConfig({ MUSTER_WEBHOOK_ALLOW: '127.0.0.1' })
  const notifications = openNotifications({ connection, log })
  const feed = createFeed({ db, notifications, log })
  const outbound = createOutbound({ allowed: config.webhookAllow })
  const rateLimits = { storage: { chargeAccount: () => {} } }
  const worker = buildWorker({ config, connection, notifications, secrets, feed, outbound, rateLimits, log })
  await worker.start()
  await sleep(2_000)
  const began = performance.now()
  await sql`
    insert into event (account_id, type, targets, data)
    select ${accountId}, 'ATTRIBUTE_CHANGE', '[{"id": "80:00:00:00:00:00:00:01", "name": "boiler", "kind": "device"}]',
      jsonb_build_object('context', null, 'changes', jsonb_build_object('n', jsonb_build_object('old', null, 'new', n::text)))
    from generate_series(1, ${deliveries}) as n`.execute(db)
  feed.wake()
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from webhook_delivery
      where account_id = ${accountId} and status = 'delivered'`.execute(db)
    if (rows[0]!.count === deliveries) break
    await sleep(50)
  }
  const rate = (deliveries / (performance.now() - began)) * 1_000
  await worker.close()
  await outbound.close()
  await feed.close()
  await notifications.close()
  return rate
}

const rates = { bareWorker: [] as number[], deliveries: [] as number[] }
for (let round = 0; round < 2; round++) {
  rates.bareWorker.push(await measureBareWorker())
  rates.deliveries.push(await measureDeliveries())
}
const best = (all: readonly number[]): number => Math.round(Math.max(...all))
console.table({
  'bare graphile-worker': { 'per second': best(rates.bareWorker) },
  deliveries: {
    'per second': best(rates.deliveries),
    ratio: (best(rates.deliveries) / best(rates.bareWorker)).toFixed(2),
  },
})
await db.destroy()
await database.stop()
receiver.stdin.end()
process.exit()
