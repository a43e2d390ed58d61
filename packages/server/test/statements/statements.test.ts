import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readOnShard } from '../../src/db/cluster/read-on-shard.ts'
import { placedTables } from '../../src/db/cluster/table-placements.ts'
import type { Database } from '../../src/db/database.ts'
import { allowLocalWebhooks, createOwnedObjects, startFailingReceiver } from '../access/owned-objects.ts'
import { isCluster } from '../cluster/cluster-databases.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { startTestApp, type TestApp } from '../harness/app.ts'
import type { Receiver } from '../harness/webhook-receiver.ts'
import { brokenRules, type ClusterRule, readVolatileFunctions } from './cluster-rules.ts'
import { driveEverything } from './drive.ts'
import { clusterExceptions } from './exceptions.ts'
import { acrossAccounts, ofGivenAccounts, onlyOnCluster } from './named.ts'
import { type AccountScope, type AccountTable, accountScopeOf, accountTablesOf, planOf } from './plan-accounts.ts'
import { recordStatements, type Statements } from './record.ts'

let app: TestApp
let receiver: Receiver
let statements: Statements
let prepared: ReadonlySet<string>
let errors: readonly string[]
let afterEvents: ReadonlySet<string>
let sent: ReadonlyMap<AccountScope, ReadonlyMap<string, string>>
let breaking: ReadonlyMap<ClusterRule | 'last', ReadonlyMap<string, string>>
let volatileFunctions: ReadonlySet<string>
let tables: ReadonlyMap<string, AccountTable>
beforeAll(async () => {
  app = await startTestApp({ env: allowLocalWebhooks, worker: true })
  receiver = await startFailingReceiver()
  const recording = recordStatements(app.db)
  try {
    errors = await driveEverything(app, app.owner, await createOwnedObjects(app.owner, receiver))
  } finally {
    recording.stop()
  }
  statements = recording.statements
  prepared = recording.prepared
  afterEvents = recording.afterEvents
  tables = await accountTablesOf(app.db)
  volatileFunctions = await readVolatileFunctions(app.db)
  // On a cluster, the plan of a statement does not show which tables it uses.
  if (!isCluster) ({ sent, breaking } = await readSenders())
})
afterAll(async () => {
  await app.close()
  await receiver.close()
})

async function analyze(text: string): Promise<{ scope: AccountScope; broken: ClusterRule[] }> {
  const plan = await planOf(app.db, text)
  const scope = accountScopeOf(plan, tables)
  return { scope, broken: brokenRules({ text, plan, scope, volatileFunctions }) }
}

const reads = /^\s*(\/\*.*?\*\/)?\s*(select|insert|update|delete|with)\b/i

/** The job queue's schema has its own migrations. */
const isOfJobQueue = (text: string): boolean => text.includes('graphile_worker')

const sendersOf = (scope: AccountScope): ReadonlyMap<string, string> => sent.get(scope) ?? new Map()

async function readSenders(): Promise<{ sent: Found<AccountScope>; breaking: Found<ClusterRule | 'last'> }> {
  const sent: Found<AccountScope> = new Map()
  const breaking: Found<ClusterRule | 'last'> = new Map()
  for (const [text, senders] of statements) {
    if (!reads.test(text)) continue
    const { scope, broken } = await analyze(text)
    add(sent, scope, { text, senders })
    for (const rule of broken) add(breaking, rule, { text, senders })
    if (afterEvents.has(text)) add(breaking, 'last', { text, senders })
  }
  return { sent, breaking }
}

/** For each property, the senders of statements that have the property, each with one of these statements. */
type Found<Property> = Map<Property, Map<string, string>>

function add<Property>(
  found: Found<Property>,
  property: Property,
  { text, senders }: { text: string; senders: ReadonlySet<string> },
): void {
  const senderStatements = found.get(property) ?? new Map<string, string>()
  found.set(property, senderStatements)
  for (const sender of senders.size > 0 ? senders : ['an unknown sender'])
    senderStatements.set(sender, text.trim().replaceAll(/\s+/g, ' '))
}

/** Returns the senders that `named` omits, each with a statement, and the senders in `named` that sent no statement. */
function differences(sent: ReadonlyMap<string, string>, named: readonly string[]): Record<string, string> {
  const unnamed = [...sent].filter(([sender]) => !named.includes(sender))
  const unsent = named.filter((name) => !sent.has(name)).map((name) => [name, 'is listed but sends no such statement'])
  return Object.fromEntries([...unnamed, ...unsent])
}

it('records a statement of every query function outside backups that is not listed as only for clusters', async () => {
  const senders = new Set([...statements.values()].flatMap((each) => [...each]))
  const unsent = (await queryFunctions()).filter((name) => !senders.has(name))
  expect(unsent.toSorted()).toEqual(onlyOnCluster.toSorted())
})

describe('every recorded statement', () => {
  it('succeeds if this test sends it directly', () => {
    expect(errors).toEqual([])
  })

  it('is limited to accounts, or is listed as an exception', () => {
    expect(differences(sendersOf('any'), Object.keys(acrossAccounts))).toEqual({})
  })

  it('is limited to one account, or is listed as limited to the accounts in its input rows', () => {
    expect(differences(sendersOf('given'), ofGivenAccounts)).toEqual({})
  })

  it('is still limited to one account if a worker reads its shard', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const create =
      'create table pg_dist_placement (shardid bigint, groupid int); create table pg_dist_local_group (groupid int)'
    await database.db.executeQuery(CompiledQuery.raw(create))
    const shard = { id: '7', node: '2', tables: Object.fromEntries(placedTables.map((name) => [name, name])) }
    let rewritten = 0
    for (const text of statements.keys()) {
      if (isOfJobQueue(text)) continue
      const onShard = readOnShard(text, shard)
      if (onShard === text || accountScopeOf(await planOf(database.db, text), tables) !== 'one') continue
      expect([text, accountScopeOf(await planOf(database.db, onShard), tables)]).toEqual([text, 'one'])
      rewritten++
    }
    expect(rewritten).toBeGreaterThan(100)
  })

  it('still runs after a migration adds a column to each table, if connections have prepared it', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const own = [...prepared].filter((text) => !isOfJobQueue(text))
    expect(own.length).toBeGreaterThan(100)
    expect(await failuresAfterMigration(database.db, own)).toEqual([])
    const stale = ['select * from device where id = $1', 'delete from device where id = $1 returning *']
    expect(await failuresAfterMigration(database.db, stale)).toEqual(stale)
  })

  it.each(['volatile', 'locks', 'events', 'last'] as const)(
    'keeps the rule "%s" for clusters, or is listed as an exception',
    (rule) => {
      expect(differences(breaking.get(rule) ?? new Map(), Object.keys(clusterExceptions[rule]))).toEqual({})
    },
  )
})

/** Returns the statements that PostgreSQL rejects on a connection that prepared them before a migration. */
async function failuresAfterMigration(db: Database, statements: readonly string[]): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    const run = <Row>(statement: string) => connection.executeQuery<Row>(CompiledQuery.raw(statement))
    const named = statements.map((text, number) => ({ text, name: `s${number}` }))
    for (const { text, name } of named) await run(`prepare ${name} as ${text}`)
    const { rows: found } = await run<{ alter: string }>(
      `select format('alter table %I add later_%s int', relname, (select count(*) from pg_attribute where attrelid = c.oid)) as alter
       from pg_class c where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    for (const { alter } of found) await run(alter)
    const { rows } = await run<{ name: string; values: string }>(
      `select name, '(' || nullif(array_to_string(array_fill('null'::text, array[cardinality(parameter_types)]), ', '), '') || ')' as values
       from pg_prepared_statements`,
    )
    const valuesOf = new Map(rows.map(({ name, values }) => [name, values]))
    const failed: string[] = []
    for (const { text, name } of named)
      await run(`explain execute ${name}${valuesOf.get(name) ?? ''}`).catch(() => failed.push(text))
    await run('deallocate all')
    return failed
  })
}

/** Returns the functions that query files export and whose first parameter is the database or a transaction. */
async function queryFunctions(): Promise<string[]> {
  const folder = new URL('../../src/', import.meta.url)
  const names: string[] = []
  for await (const file of glob('**/*.queries.ts', { cwd: folder })) {
    // Skip backups, which read the whole database on a separate connection.
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
    expect((await analyze(text)).scope).toBe(scope)
  })

  it.each([
    ['volatile', 'update device set created = clock_timestamp() where account_id = $1'],
    ['volatile', 'delete from device where account_id = $1 and created < clock_timestamp()'],
    [
      'volatile',
      `insert into device_count (account_id, id, devices) values ($1, $2, 1)
       on conflict (account_id, id) do update set devices = random()`,
    ],
    [
      'locks',
      'select id from webhook where (account_id, id) in (select * from unnest($1::text[], $2::text[])) for update',
    ],
    ['locks', 'select id from webhook where id = $1 for key share'],
    ['events', `insert into event (account_id, type, targets) select $1, 'x', '[]' from device where account_id = $1`],
    [
      'events',
      `with changed as (update device set name = $2 where account_id = $1)
       insert into event (account_id, type, targets) values ($1, 'x', '[]')`,
    ],
  ] as const)('reports that a statement breaks the rule %s: %s', async (rule, text) => {
    expect((await analyze(text)).broken).toEqual([rule])
  })

  it.each([
    'update device set created = statement_timestamp() where account_id = $1',
    `update job_worker set seen = clock_timestamp()`,
    'insert into device_count (account_id, id, devices) values ($1, gen_random_uuid(), 1)',
    'select id from webhook where account_id = $1 for update',
    `insert into event (account_id, type, targets) values ($1, 'clock_timestamp() in a string', '[]')`,
  ])('reports no broken rule for %s', async (text) => {
    expect((await analyze(text)).broken).toEqual([])
  })
})
