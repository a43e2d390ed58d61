import { sql } from 'kysely'
import pg from 'pg'
import { createDatabase, type Database } from '../../src/db/database.ts'
import { createPool } from '../../src/db/pool/create-pool.ts'
import { createTestDatabase } from './test-database.ts'

/** A separate database, with functions that return the query plans of statements. */
export interface ExplainedDatabase {
  db: Database
  /**
   * Returns the custom plan of the only statement that `run` sends. A custom plan depends on the statement's values.
   */
  planFor(run: (db: Database) => Promise<unknown>): Promise<Plan>
  /** Returns the generic plan, which PostgreSQL may cache for a prepared statement. */
  genericPlanFor(run: (db: Database) => Promise<unknown>): Promise<Plan>
  textOf(run: (db: Database) => Promise<unknown>): Promise<string>
  close(): Promise<void>
}

export interface Plan {
  indexes: string[]
  /** The names of the tables that the plan scans sequentially. */
  scanned: string[]
  /** Natural-order sort keys by which the plan sorts rows, because no index provides the order. */
  naturalSorts: string[]
}

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Sort Key'?: string[]
  Plans?: PlanNode[]
}

interface Statement {
  text: string
  values: readonly unknown[]
}

/** Records each statement that the client sends with values. */
function recordStatements(client: pg.PoolClient, sent: Statement[]): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((statement: unknown, ...others: unknown[]) => {
    if (typeof statement === 'object' && statement !== null && 'values' in statement) sent.push(statement as Statement)
    return query(statement, ...others)
  }) as typeof client.query
}

export async function createExplainedDatabase(): Promise<ExplainedDatabase> {
  const database = await createTestDatabase()
  const pool = createPool({ connection: database.connection, size: 1, statementTimeout: 30_000 })
  const sent: Statement[] = []
  pool.on('connect', (client) => recordStatements(client, sent))
  const db = createDatabase(pool)

  async function statementOf(run: (db: Database) => Promise<unknown>): Promise<Statement> {
    sent.length = 0
    await run(db)
    const [statement, ...others] = sent
    if (statement === undefined || others.length > 0)
      throw new Error(`The function must send one statement with values, but it sent ${sent.length}.`)
    return statement
  }

  async function explain(text: string, parameters: readonly unknown[]): Promise<Plan> {
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (format json) ${text}`, [
      ...parameters,
    ])
    return summary(rows[0]!['QUERY PLAN'][0].Plan)
  }

  return {
    db,
    async planFor(run) {
      const statement = await statementOf(run)
      return explain(statement.text, statement.values)
    },
    async genericPlanFor(run) {
      const { text, values } = await statementOf(run)
      await pool.query(`set plan_cache_mode = force_generic_plan; prepare explained as ${text}`)
      try {
        return await explain(`execute explained (${values.map(literal).join(', ')})`, [])
      } finally {
        await pool.query('deallocate explained; reset plan_cache_mode')
      }
    },
    async textOf(run) {
      return (await statementOf(run)).text
    },
    async close() {
      await db.destroy()
      await database.drop()
    },
  }
}

/** Inserts an account with devices whose IDs are `device 1`, `device 2`, and so on. */
export async function insertDevices(db: Database, accountId: string, devices: number): Promise<void> {
  await sql`insert into account (id, email) values (${accountId}, 'a@example.com')`.execute(db)
  await sql`insert into device (account_id, id, name)
    select ${accountId}, 'device ' || i, 'node-' || i from generate_series(1, ${devices}::int) as i`.execute(db)
  await sql`insert into device_live (account_id, device_id) select account_id, id from device`.execute(db)
}

/**
 * Returns an SQL literal for a value. The literal of an array has no type, so PostgreSQL gives it the type of the
 * statement's parameter.
 */
function literal(value: unknown): string {
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(arrayElement).join(',')}}`)
  if (value === null || value === undefined) return 'null'
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

const arrayElement = (value: unknown): string =>
  value === null ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`

function summary(root: PlanNode): Plan {
  const nodes: PlanNode[] = [root]
  for (const node of nodes) nodes.push(...(node.Plans ?? []))
  const distinct = (names: readonly (string | undefined)[]): string[] =>
    [...new Set(names.filter((name) => name !== undefined))].sort()
  return {
    indexes: distinct(nodes.map((node) => node['Index Name'])),
    scanned: distinct(nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])),
    naturalSorts: distinct(
      nodes.flatMap((node) => node['Sort Key'] ?? []).filter((key) => key.includes('natural_order')),
    ),
  }
}
