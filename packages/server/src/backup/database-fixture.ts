import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { createTestDatabase } from '../../test/database/test-database.ts'
import { administer, atDatabase, dropDatabase } from '../../test/global-setup.ts'
import { createDatabase, type Database } from '../db/database.ts'
import { createPool } from '../db/pool/create-pool.ts'

export interface OpenDatabase {
  db: Database
  pool: pg.Pool
  url: string
}

export async function newDatabase(
  kind: 'empty' | 'migrated',
  atEnd: (end: () => Promise<void>) => void,
): Promise<OpenDatabase> {
  if (kind === 'migrated') {
    const { connection, url, drop } = await createTestDatabase()
    return open(connection, url, drop, atEnd)
  }
  const { connection } = inject('testDatabase')
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  await administer(connection, `create database "${name}"`)
  const { connectionString, host = '', port, user = '' } = atDatabase(connection, name)
  const url = connectionString ?? `postgresql:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
  return open(atDatabase(connection, name), url, () => dropDatabase(connection, name), atEnd)
}

function open(
  connection: pg.ClientConfig,
  url: string,
  drop: () => Promise<void>,
  atEnd: (end: () => Promise<void>) => void,
): OpenDatabase {
  const pool = createPool({ connection, size: 4, statementTimeout: 0 })
  const db = createDatabase(pool)
  atEnd(async () => {
    await db.destroy()
    await drop()
  })
  return { db, pool, url }
}

export async function rowsOf({ pool }: OpenDatabase): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<{ name: string; sum: unknown }>(`
    select relname as name, (xpath('/row/sum/text()', query_to_xml(
      format('select md5(string_agg(row::text, chr(10) order by row::text)) as sum from %I as row', relname), false, true, '')))[1]::text as sum
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relpersistence = 'p' and relname not in ('migration', 'migration_lock', 'migration_progress', 'device_count',
        'attribute_name', 'attribute_name_summary')`)
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
}

export const tablesOf = async ({ pool }: OpenDatabase): Promise<number> =>
  (await pool.query(`select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`))
    .rowCount!
