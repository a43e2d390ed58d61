import { CompiledQuery } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
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
  const exempt = [...Object.keys(acrossAccounts), ...ofGivenAccounts, ...byAddress]
  const checked = [...sent.values()].filter(({ text, sender = '' }) => plannable.test(text) && !exempt.includes(sender))
  const wrong: string[] = []
  for (const { text, sender, parameters } of checked)
    if (await touchesSeveralShards(app.db, text, parameters)) wrong.push(`${sender}: ${text}`)
  expect(wrong).toEqual([])
  expect(checked.length).toBeGreaterThan(100)
  console.log(`${checked.length} statements of one account: 0 touch two shards`)
})

/** Statements that may use several shards, because they find an account by an email address. */
const byAddress = ['selectByContact of features/users/people/people.queries.ts']

/**
 * Returns whether a statement uses several shards, according to its plan. If Citus cannot plan the statement with
 * parameters, runs it and rolls it back.
 */
async function touchesSeveralShards(db: Database, text: string, parameters: readonly unknown[]): Promise<boolean> {
  const fails = async (statement: string): Promise<'several shards' | 'other' | undefined> => {
    const rollBack = new Error('roll back')
    try {
      await db.transaction().execute(async (transaction) => {
        await transaction.executeQuery(CompiledQuery.raw('set local citus.multi_task_query_log_level = error'))
        await transaction.executeQuery(CompiledQuery.raw(statement, [...parameters]))
        throw rollBack
      })
    } catch (error) {
      if (error === rollBack) return undefined
      return (error as Error).message.startsWith('multi-task query') ? 'several shards' : 'other'
    }
  }
  const planned = await fails(`explain ${text}`)
  return (planned === 'other' ? await fails(text) : planned) === 'several shards'
}
