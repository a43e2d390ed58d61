import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database/test-database.ts'
import { type Catalog, readCatalog, type Table } from './catalog.ts'
import { classedTables, classOf } from './classes.ts'
import { citusCommands } from './commands.ts'

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

const distributed = (): Table[] => catalog.tables.filter(({ name }) => classOf(name) === 'distributed')

describe('the tables of the schema', () => {
  it('are each in one class, and no other is', () => {
    expect(catalog.tables.filter(({ name }) => classOf(name) === undefined)).toEqual([])
    const names = catalog.tables.map(({ name }) => name)
    expect(classedTables.filter((name) => !names.includes(name))).toEqual([])
    expect(new Set(classedTables).size).toBe(classedTables.length)
  })

  it('are unique within an account where they are distributed', () => {
    const across = distributed().flatMap(({ name, uniques }) =>
      uniques.filter((columns) => !columns.includes('account_id')).map((columns) => [name, columns]),
    )
    expect(across).toEqual([])
    expect(distributed().filter(({ uniques }) => uniques.length === 0)).toEqual([])
  })

  it('refer to rows of the same account, or to what every node has', () => {
    const wrong = catalog.tables.flatMap(({ name, references }) =>
      references
        .filter(({ table, columns }) => {
          if (classOf(table) === 'reference') return classOf(name) === 'local'
          const isOfAccount = columns.some(([here, there]) => here === 'account_id' && there === 'account_id')
          return classOf(name) !== classOf(table) || (classOf(name) === 'distributed' && !isOfAccount)
        })
        .map(({ table }) => `${name} to ${table}`),
    )
    expect(wrong).toEqual([])
  })

  it('are told of where they are in the way', () => {
    const told = distributed().flatMap(({ triggers, sequences }) => [...triggers, ...sequences])
    expect(told.sort()).toEqual(['device_count_delete', 'device_count_insert', 'event_id'])
  })
})

it('prints a command for each, after those that it needs', async () => {
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
  const elsewhere = catalog.tables.filter(({ name }) => classOf(name) !== 'local').map(({ name }) => name)
  expect([...placed].sort()).toEqual(elsewhere.sort())
  for (const { name, references } of catalog.tables)
    for (const { table } of references)
      if (table !== name) expect(placed.indexOf(table)).toBeLessThan(placed.indexOf(name))
})

it('knows no table that is new', () => {
  const table = { name: 'news', uniques: [], references: [], triggers: [], sequences: [] }
  expect(() => citusCommands({ tables: [table], functions: [] }, { shards: 1 })).toThrow(
    'the table news is in no class',
  )
})
