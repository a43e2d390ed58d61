import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database/test-database.ts'
import { readTables, type Table } from './catalog.ts'
import { distributeTables, getPlacement, uniquesAcrossAccounts } from './distribute.ts'
import { accountColumnOf, placedTables, placementOf } from './table-placements.ts'

let database: TestDatabase
let tables: Table[]
beforeAll(async () => {
  database = await createTestDatabase()
  tables = await readTables(database.db)
})
afterAll(() => database.drop())

const distributed = (): Table[] => tables.filter(({ name }) => placementOf(name) === 'distributed')

describe('the tables of the schema', () => {
  it('each have exactly one placement', () => {
    expect(tables.filter(({ name }) => placementOf(name) === undefined)).toEqual([])
    const names = tables.map(({ name }) => name)
    expect(placedTables.filter((name) => !names.includes(name))).toEqual([])
    expect(new Set(placedTables).size).toBe(placedTables.length)
  })

  it('have a unique index with the account column, and only known ones without it, if they are distributed', () => {
    const across = distributed().flatMap((table) => uniquesAcrossAccounts(table).map(({ name }) => name))
    expect(across.sort()).toEqual([
      'access_key_key',
      'account_email',
      'invitation_token',
      'registration_code_hash',
      'restricted_key_key',
    ])
    expect(distributed().filter((table) => table.uniques.length === uniquesAcrossAccounts(table).length)).toEqual([])
  })

  it('reference only local tables if local, and otherwise rows of the same account or of reference tables', () => {
    const wrong = tables.flatMap(({ name, references }) =>
      references
        .filter(({ table, columns }) => {
          if (placementOf(table) === 'reference') return placementOf(name) === 'local'
          const isOfAccount = columns.some(
            ([column, referenced]) => column === accountColumnOf(name) && referenced === accountColumnOf(table),
          )
          return placementOf(name) !== placementOf(table) || (placementOf(name) === 'distributed' && !isOfAccount)
        })
        .map(({ table }) => `${name} to ${table}`),
    )
    expect(wrong).toEqual([])
  })

  it('have only triggers and sequences that are known exceptions for Citus, if they are distributed', () => {
    const reported = distributed().flatMap(({ triggers, sequences }) => [...triggers, ...sequences])
    // Servers of the previous release need the triggers.
    expect(reported.sort()).toEqual([
      ...['account_delete', 'account_insert', 'account_update'],
      ...['device_count_delete', 'device_count_insert', 'event_id'],
    ])
  })
})

it('rejects a table without a placement', () => {
  expect(() => getPlacement('news')).toThrow('the table news has no placement: add it to table-placements.ts')
})

it('does nothing on a database without Citus, and warns if the settings name a cluster', async () => {
  const warnings: string[] = []
  const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) }
  expect(await distributeTables(database.db, { cluster: undefined, log })).toEqual([])
  expect(warnings).toEqual([])
  expect(await distributeTables(database.db, { cluster: { shards: 4 }, log })).toEqual([])
  expect(warnings).toEqual([
    'MUSTER_CLUSTER is set, but the database does not have the extension citus, so no tables are distributed: create the extension, or remove the setting',
  ])
  expect(await readTables(database.db)).toEqual(tables)
})
