import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database/test-database.ts'
import { type Catalog, readCatalog, type Table } from './catalog.ts'
import { citusCommands } from './commands.ts'
import { placedTables, placementOf } from './placements.ts'

let database: TestDatabase
let catalog: Catalog
beforeAll(async () => {
  database = await createTestDatabase()
  const client = new pg.Client(database.connection)
  await client.connect()
  catalog = await readCatalog(client)
  await client.end()
})
afterAll(() => database.drop())

const distributed = (): Table[] => catalog.tables.filter(({ name }) => placementOf(name) === 'distributed')

describe('the tables of the schema', () => {
  it('each have exactly one placement', () => {
    expect(catalog.tables.filter(({ name }) => placementOf(name) === undefined)).toEqual([])
    const names = catalog.tables.map(({ name }) => name)
    expect(placedTables.filter((name) => !names.includes(name))).toEqual([])
    expect(new Set(placedTables).size).toBe(placedTables.length)
  })

  it('have only unique indexes that include the account if they are distributed', () => {
    const across = distributed().flatMap(({ name, uniques }) =>
      uniques.filter((columns) => !columns.includes('account_id')).map((columns) => [name, columns]),
    )
    expect(across).toEqual([])
    expect(distributed().filter(({ uniques }) => uniques.length === 0)).toEqual([])
  })

  it('reference only rows of the same account or reference tables', () => {
    const wrong = catalog.tables.flatMap(({ name, references }) =>
      references
        .filter(({ table, columns }) => {
          if (placementOf(table) === 'reference') return placementOf(name) === 'local'
          const isOfAccount = columns.some(
            ([column, referenced]) => column === 'account_id' && referenced === 'account_id',
          )
          return placementOf(name) !== placementOf(table) || (placementOf(name) === 'distributed' && !isOfAccount)
        })
        .map(({ table }) => `${name} to ${table}`),
    )
    expect(wrong).toEqual([])
  })

  it('use only triggers and sequences that are known exceptions for Citus', () => {
    const reported = distributed().flatMap(({ triggers, sequences }) => [...triggers, ...sequences])
    expect(reported.sort()).toEqual(['device_count_delete', 'device_count_insert', 'event_id'])
  })
})

it('prints the commands in the order of their dependencies', async () => {
  const script = fileURLToPath(new URL('../citus.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, database.url, '64'])
  const lines = stdout.trim().split('\n')
  expect(lines).toEqual(citusCommands(catalog, { shards: 64 }))
  expect(lines).toContain(
    `select create_distributed_table('device', 'account_id', shard_count => 64, colocate_with => 'none');`,
  )
  expect(lines).toContain(`select create_distributed_function('attribute_count(jsonb)');`)

  const placed = lines.flatMap(
    (line) => /^select create_(?:reference|distributed)_table\('(\w+)'/.exec(line)?.[1] ?? [],
  )
  const notLocal = catalog.tables.filter(({ name }) => placementOf(name) !== 'local').map(({ name }) => name)
  expect([...placed].sort()).toEqual(notLocal.sort())
  for (const { name, references } of catalog.tables)
    for (const { table } of references)
      if (table !== name) expect(placed.indexOf(table)).toBeLessThan(placed.indexOf(name))
})

it('rejects a table without a placement', () => {
  const table = { name: 'news', uniques: [], references: [], triggers: [], sequences: [] }
  expect(() => citusCommands({ tables: [table], functions: [] }, { shards: 1 })).toThrow(
    'The table news has no placement.',
  )
})
