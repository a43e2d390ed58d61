import { CompiledQuery } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { allowLocalWebhooks, createOwnedObjects, startFailingReceiver } from '../../access/owned-objects.ts'
import { startTestApp } from '../../harness/app.ts'
import { driveEverything } from '../../statements/drive.ts'
import { acrossAccounts, ofGivenAccounts } from '../../statements/named.ts'
import { recordStatements, type SentStatement } from '../../statements/record.ts'

const plannable = /^\s*(\/\*.*?\*\/)?\s*(select|insert|update|delete|with)\b/i

it('touches only one shard in each statement of one account', async () => {
  const app = await startTestApp({ env: allowLocalWebhooks, worker: true })
  const receiver = await startFailingReceiver()
  onTestFinished(async () => {
    await app.close()
    await receiver.close()
  })
  const sent = new Map<string, SentStatement>()
  const recording = recordStatements(app.db, (statement) => void sent.set(statement.text, statement))
  try {
    await driveEverything(app, app.owner, await createOwnedObjects(app.owner, receiver))
  } finally {
    recording.stop()
  }
  const exempt = [...Object.keys(acrossAccounts), ...ofGivenAccounts]
  const checked = [...sent.values()].filter(({ text, sender = '' }) => plannable.test(text) && !exempt.includes(sender))
  const wrong: string[] = []
  await app.db.connection().execute(async (connection) => {
    await connection.executeQuery(CompiledQuery.raw('set citus.multi_task_query_log_level = error'))
    for (const { text, sender, parameters } of checked)
      await connection
        .executeQuery(CompiledQuery.raw(`explain ${text}`, [...parameters]))
        .catch((error: Error) => wrong.push(`${sender}: ${error.message}: ${text}`))
  })
  expect(wrong).toEqual([])
  expect(checked.length).toBeGreaterThan(100)
  console.log(`${checked.length} statements of one account: 0 touch two shards`)
})
