import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import copy from 'pg-copy-streams'
import type { MasterKeySettings } from '../auth/master-key/master-key.ts'
import type { Database } from '../db/database.ts'
import { createEventPartition } from '../db/event-partitions.ts'
import { migrate, migrateTo, migrationNames } from '../db/migrate.ts'
import { SET_UP_LOCK } from '../start/set-up.ts'
import { BackupError, writtenByOtherRelease } from './backup-error.ts'
import {
  analyze,
  copyIn,
  countRestoredDevices,
  deleteMigrationRows,
  selectFilled,
  selectMigrations,
  selectTables,
  textFormatSettings,
} from './backup-tables.queries.ts'
import { damaged, type EndLine, type Header } from './format.ts'
import { readBackup } from './read-backup.ts'
import { assertKeys, skipNumbers } from './restored-database.ts'

export interface RestoreOptions {
  /** The database to fill, through Kysely and as a pool. Neither may have a statement timeout. */
  db: Database
  pool: pg.Pool
  file: string
  /** Specifies where to find the master key that encrypts the secrets in the backup. */
  config: MasterKeySettings
  /** Whether to restore even if the master key is missing. Without the key, no server starts on the restored database. */
  withoutKey?: boolean
  signal?: AbortSignal
  /** Called with the number of bytes read so far and the total: twice the size of the file, which is read twice. */
  onProgress?: (done: number, total: number) => void
}

export interface Restored {
  created: string
  rows: Record<string, number>
  migrations: string[]
}

/**
 * Fills an empty database from a backup, completely or not at all, then migrates it to this release. If the migration
 * is interrupted, the next start of a server or of `muster migrate` continues it.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { db, pool, file, signal, onProgress } = options
  const { size } = await stat(file)
  // The whole file is checked before anything changes, because a damaged backup must leave the database empty.
  const header = await checkBackup({ file, signal, onProgress: (done) => onProgress?.(done, 2 * size) })
  await assertKnown(header)
  if (!options.withoutKey) assertKeys(header.masterKeys, options.config)

  const client = await pool.connect()
  try {
    // A server that starts during the restore waits for this lock before it checks whether the database has an owner.
    await client.query(`select pg_advisory_lock(hashtext($1))`, [SET_UP_LOCK])
    await prepare(client, db, header)
    const load = { client, file, signal, onProgress: (done: number) => onProgress?.(size + done, 2 * size) }
    const { rows } = await loadAll(load, header)
    const migrations = await migrate(db)
    await analyze(client, Object.keys(rows))
    await client.query(`select pg_advisory_unlock(hashtext($1))`, [SET_UP_LOCK])
    client.release()
    return { created: header.created, rows, migrations }
  } catch (error) {
    client.release(true)
    throw error
  }
}

interface Reading {
  file: string
  signal: AbortSignal | undefined
  onProgress: (done: number) => void
}

async function checkBackup(reading: Reading): Promise<Header> {
  let header: Header | undefined
  for await (const part of readBackup(reading)) if ('header' in part) header = part.header
  return header!
}

async function assertKnown({ migrations, release }: Header): Promise<void> {
  const known = await migrationNames()
  if (!migrations.every((name, index) => name === known[index]))
    throw writtenByOtherRelease('newer', { what: 'The backup', release })
}

/** Creates the backup's schema. If tables already exist, they must be empty and have that schema. */
async function prepare(client: pg.ClientBase, db: Database, { migrations, months }: Header): Promise<void> {
  const present = await selectMigrations(client)
  if (present.length > 0) {
    const filled = await selectFilled(client, await selectTables(client))
    if (filled.length > 0) {
      throw new BackupError('not-empty', `The database is not empty. These tables contain rows: ${filled.join(', ')}.`)
    }
    if (present.join() !== migrations.join()) {
      const last = migrations.at(-1)
      throw new BackupError(
        'other-schema',
        `The database does not have the schema of the backup, whose last migration is ${last}.`,
      )
    }
  } else await migrateTo(db, migrations.at(-1) ?? '')
  for (const month of months) await createEventPartition(db, new Date(`${month}-01T00:00:00Z`))
}

type Load = Reading & { client: pg.ClientBase }

async function loadAll(load: Load, header: Header): Promise<EndLine> {
  const { client } = load
  await client.query('begin')
  await client.query(textFormatSettings)
  await deleteMigrationRows(client)
  const end = await loadTables(load)
  await countRestoredDevices(client)
  await skipNumbers(client, header.sequences)
  await client.query('commit')
  return end
}

async function loadTables({ client, ...reading }: Load): Promise<EndLine> {
  const loaded: Record<string, number> = {}
  let stream: copy.CopyStreamQuery | undefined
  let failed: Promise<never> | undefined
  for await (const part of readBackup(reading)) {
    if ('table' in part) {
      stream = client.query(copy.from(copyIn(part.table, part.columns)))
      failed = once(stream, 'error').then(([error]) => Promise.reject(error))
      failed.catch(() => {})
    } else if ('rows' in part) {
      await Promise.race([write(stream!, part.rows), failed!])
    } else if ('endOf' in part) {
      stream!.end()
      await Promise.race([finished(stream!), failed!])
      loaded[part.endOf] = stream!.rowCount
    } else if ('end' in part) {
      for (const [table, rows] of Object.entries(part.end.rows)) {
        if (loaded[table] !== rows) throw damaged(`the table ${table} has ${loaded[table] ?? 0} rows, not ${rows}`)
      }
      return part.end
    }
  }
  throw damaged('it is truncated')
}

/** Callers must wait for each chunk, because the stream cannot handle an error while more chunks are queued. */
const write = (stream: copy.CopyStreamQuery, rows: Buffer): Promise<void> =>
  new Promise((resolve) => void stream.write(rows, () => resolve()))
