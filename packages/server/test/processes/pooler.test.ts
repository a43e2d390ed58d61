import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { hasProgram } from '../../../../examples/test/programs.ts'
import { readConfig } from '../../src/config.ts'
import { createDatabase, type Database, query } from '../../src/db/database.ts'
import { createPool } from '../../src/db/pool/create-pool.ts'
import { OUTCOME_UNKNOWN } from '../../src/db/pool/unknown-outcome.ts'
import { openServingDatabase } from '../../src/start/serving-database.ts'
import { startDatabaseProxy } from '../database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { pgbouncer, startPooler } from './pooler.ts'

async function open(env: Record<string, string>): Promise<Record<string, unknown>[]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const { stop } = await openServingDatabase({
    config: readConfig(env),
    log,
    onLost: () => {},
    signal: new AbortController().signal,
  })
  await stop()
  return lines.map((line) => JSON.parse(line))
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  return database
}

test.skipIf(!hasProgram(pgbouncer))(
  'requires a direct connection to the same database in addition to a pooler in transaction mode',
  async () => {
    const database = await newDatabase()
    const pooled = await startPooler(database, onTestFinished)
    await expect(open({ DATABASE_URL: pooled })).rejects.toThrow(
      /^DATABASE_URL points to a pooler.* DATABASE_DIRECT_URL/,
    )
    await expect(open({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: pooled })).rejects.toThrow(/^DATABASE_DIRECT_URL/)
    const session = await startPooler(database, onTestFinished, { mode: 'session' })
    await expect(open({ DATABASE_URL: session })).resolves.toBeDefined()
    const settings = ['server_reset_query_always = 1']
    const resetting = await startPooler(database, onTestFinished, { settings })
    await expect(open({ DATABASE_URL: resetting })).rejects.toThrow(/^DATABASE_URL points to a pooler/)
    const other = await newDatabase()
    await expect(open({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: other.url })).rejects.toThrow(/different databases/)
  },
)

test.skipIf(!hasProgram(pgbouncer))(
  "logs the statements that set up the pooler's connections until they have run",
  async () => {
    const database = await newDatabase()
    const env = { DATABASE_DIRECT_URL: database.url, MUSTER_STATEMENT_TIMEOUT: '7' }
    const first = await open({ ...env, DATABASE_URL: await startPooler(database, onTestFinished) })
    const statements = first.flatMap((line) => (line.statements as string[] | undefined) ?? [])
    expect(statements).toContainEqual(expect.stringMatching(/^alter role .* set statement_timeout = 7000$/))
    for (const statement of statements) await query(database.db, statement, [])
    const found = await open({ ...env, DATABASE_URL: await startPooler(database, onTestFinished) })
    expect(found.filter((line) => line.statements !== undefined)).toEqual([])
  },
)

test.skipIf(!hasProgram(pgbouncer))(
  'reports an unknown outcome when the pooler loses its connection during a change',
  async () => {
    const database = await newDatabase()
    const proxy = await startDatabaseProxy(database.connection)
    const connection = { connectionString: proxy.url }
    const connectionString = await startPooler({ ...database, connection }, onTestFinished)
    const options = { direct: database.connection, size: 1, statementTimeout: 0 }
    const db = createDatabase(createPool({ connection: { connectionString }, ...options }))
    onTestFinished(() => db.destroy())
    const insert = (on: Database, id: string) =>
      query(on, 'insert into account (id, email) values ($1, $2)', [id, `${id}@example.com`])
    proxy.cutAt(['commit'], 'after')
    const committed = db.transaction().execute((transaction) => insert(transaction, 'one'))
    await expect(committed).rejects.toMatchObject({ code: OUTCOME_UNKNOWN })
    proxy.cutAt(['insert into account'], 'after')
    await expect(insert(db, 'two')).rejects.toMatchObject({ code: OUTCOME_UNKNOWN })
    const rows = await query<{ id: string }>(database.db, 'select id from account order by id', [])
    expect(rows.map(({ id }) => id)).toEqual(['one', 'two'])
  },
)
