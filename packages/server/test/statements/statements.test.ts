import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allowLocalWebhooks, createOwnedObjects, startFailingReceiver } from '../access/owned-objects.ts'
import { startTestApp, type TestApp } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { driveEverything } from './drive.ts'
import { acrossAccounts, ofGivenAccounts } from './named.ts'
import { type AccountScope, type AccountTable, accountScopeOf, accountTablesOf, planOf } from './plan-accounts.ts'
import { recordStatements, type Statements } from './record.ts'

let app: TestApp
let receiver: Receiver
let statements: Statements
let sent: ReadonlyMap<AccountScope, ReadonlyMap<string, string>>
let tables: ReadonlyMap<string, AccountTable>
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks, worker: true })
  receiver = await startFailingReceiver()
  const recording = recordStatements(app.db)
  try {
    await driveEverything(app, app.owner, await createOwnedObjects(app.owner, receiver))
  } finally {
    recording.stop()
  }
  statements = recording.statements
  tables = await accountTablesOf(app.db)
  sent = await readSenders()
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

const scopeOfText = async (text: string): Promise<AccountScope> => accountScopeOf(await planOf(app.db, text), tables)

const reads = /^\s*(\/\*.*?\*\/)?\s*(select|insert|update|delete|with)\b/i

/** Returns the senders of statements with this scope, each with one of its statements. */
const sendersOf = (scope: AccountScope): ReadonlyMap<string, string> => sent.get(scope) ?? new Map()

async function readSenders(): Promise<Map<AccountScope, Map<string, string>>> {
  const found = new Map<AccountScope, Map<string, string>>()
  for (const [text, senders] of statements) {
    if (!reads.test(text)) continue
    const scope = await scopeOfText(text)
    const senderStatements = found.get(scope) ?? new Map<string, string>()
    found.set(scope, senderStatements)
    for (const sender of senders.size > 0 ? senders : ['an unknown sender'])
      senderStatements.set(sender, text.trim().replaceAll(/\s+/g, ' '))
  }
  return found
}

/** Returns unlisted senders with one statement each, and listed senders that sent no such statement. */
function differences(sent: ReadonlyMap<string, string>, named: readonly string[]): Record<string, string> {
  const unnamed = [...sent].filter(([sender]) => !named.includes(sender))
  const unsent = named.filter((name) => !sent.has(name)).map((name) => [name, 'is listed but sends no such statement'])
  return Object.fromEntries([...unnamed, ...unsent])
}

describe('every statement of the server', () => {
  it('is sent by this test', async () => {
    const senders = new Set([...statements.values()].flatMap((each) => [...each]))
    const unsent = (await queryFunctions()).filter((name) => !senders.has(name))
    expect(unsent).toEqual([])
  })

  it('is limited to accounts, or is listed as an exception', () => {
    expect(differences(sendersOf('any'), Object.keys(acrossAccounts))).toEqual({})
  })

  it('is limited to one account, or is listed with accounts in its input rows', () => {
    expect(differences(sendersOf('given'), ofGivenAccounts)).toEqual({})
  })
})

/**
 * Returns the functions that send statements. Query files export these functions, with the database as first parameter.
 */
async function queryFunctions(): Promise<string[]> {
  const folder = new URL('../../src/', import.meta.url)
  const names: string[] = []
  for await (const file of glob('**/*.queries.ts', { cwd: folder })) {
    // Backups read the whole database on a separate connection.
    if (file.startsWith('backup/')) continue
    const source = readFileSync(new URL(file, folder), 'utf8')
    const exported = source.matchAll(
      /^export (?:(?:async )?function (\w+)(?:<[^>]*>)?|const (\w+) =(?: async)?) ?\(\s*(?:db|transaction)\b/gm,
    )
    for (const [, declared, assigned] of exported) names.push(`${declared ?? assigned} of ${file}`)
  }
  return names
}

describe('the analysis of a statement', () => {
  it.each([
    ['one', 'select name from device where account_id = $1 and id = $2'],
    [
      'one',
      'select s.id from device d join service s on s.account_id = d.account_id and s.device_id = d.id where d.account_id = $1',
    ],
    ['one', 'insert into device_hold (account_id, device_id) select account_id, id from device where account_id = $1'],
    [
      'given',
      'update device d set name = $3 from unnest($1::text[], $2::text[]) as w (a, i) where d.account_id = w.a and d.id = w.i',
    ],
    ['given', 'insert into device_hold (account_id, device_id) select * from unnest($1::text[], $2::text[])'],
    ['any', 'select name from device where id = $1'],
    ['any', 'select name from device where account_id = $1 or id = $2'],
    ['any', 'select name from device where account_id <> $1 and id = $2'],
    ['any', 'select s.id from device d join service s on s.device_id = d.id where d.account_id = $1'],
    [
      'any',
      'select s.id from device d join service s on s.account_id = d.account_id and s.device_id = d.id where s.id = $1',
    ],
    ['any', 'select id from event where "timestamp" > $1'],
    [
      'any',
      'with d as (select account_id, id from device where id = $1) insert into device_hold (account_id, device_id) select * from d',
    ],
    ['any', 'delete from device where account_id in (select account_id from webhook)'],
    ['none', 'select id from server_process'],
  ] as const)('reports the scope %s for %s', async (scope, text) => {
    expect(await scopeOfText(text)).toBe(scope)
  })
})
