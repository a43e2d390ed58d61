import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createWebhook, register } from '../../../test/api/filtered-webhooks.ts'
import { pollUntil } from '../../../test/api/webhooks.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { startReceiver } from '../../../test/harness/webhook-receiver.ts'

const messages: string[] = []
const log = pino({}, { write: (line: string) => void messages.push(JSON.parse(line).msg) })
const app = sharedTestApp({ env: { MUSTER_WEBHOOK_ALLOW: '127.0.0.1' }, worker: true, log })

it.each([
  ['apply the filter of a webhook', 'the filter of a webhook can be applied again', 'false'],
  ['save delivery results', 'delivery results can be saved again', 'tries = 0'],
])('logs when the server cannot %s, and when it can again', { timeout: 120_000 }, async (task, recovery, accepted) => {
  const user = await app.createUser()
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  await createWebhook(user, receiver, 'where: "name = a"')
  // PostgreSQL checks only the rows that statements write from now on.
  await sql`alter table webhook_delivery add constraint outage check (${sql.raw(accepted)}) not valid`.execute(app.db)
  await register(user, 'a')
  const isLogged = (message: string) => pollUntil(async () => messages.includes(message), Boolean)
  await isLogged(`cannot ${task}; retrying`)
  expect(messages).not.toContain(recovery)
  await sql`alter table webhook_delivery drop constraint outage`.execute(app.db)
  await isLogged(recovery)
  await receiver.waitFor(1, ({ body }) => body.data.device?.name === 'a')
})
