import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import copy from 'pg-copy-streams'
import type { MasterKeySettings } from '../auth/master-key.ts'
import type { Database } from '../db/database.ts'
import { createEventPartition } from '../db/event-partitions.ts'
import { migrate, migrateTo, migrationNames } from '../db/migrate.ts'
import { SET_UP_LOCK } from '../start/set-up.ts'
import {
  analyze,
  asText,
  copyIn,
  deleteMigrationRows,
  selectFilled,
  selectMigrations,
  selectTables,
} from './backup.queries.ts'
import { BackupError } from './backup-error.ts'
import { damaged, type EndLine, type Header } from './format.ts'
import { readBackup } from './read-backup.ts'
import { assertKeys, skipNumbers } from './restored-database.ts'

export interface RestoreOptions {
  /** Both of the database that is to be filled; statements on them must be allowed to take long. */
  db: Database
  pool: pg.Pool
  file: string
  /** Where the master key is looked for, which the secrets in the backup need. */
  config: MasterKeySettings
  /** Goes on without that key: no server starts on the database before it is there. */
  withoutKey?: boolean
  signal?: AbortSignal
  /** Bytes done, of how many. */
  onProgress?: (done: number, total: number) => void
}

export interface Restored {
  /** When the backup was made. */
  created: string
  /** How many of each table. */
  rows: Record<string, number>
  /** What has run since the backup was made. */
  migrations: string[]
}

/** Fills an empty database from a backup, all of it or nothing, and brings it to this release's schema. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { db, pool, file, signal, onProgress } = options
  const { size } = await stat(file)
  // Read to the end before anything is changed.
  const header = await checkBackup({ file, signal, onProgress: (done) => onProgress?.(done, 2 * size) })
  await assertKnown(header)
  if (!options.withoutKey) assertKeys(header.masterKeys, options.config)

  const client = await pool.connect()
  try {
    // A server that starts meanwhile waits before it looks whether there is an owner.
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
  const isKnown = migrations.every((name, index) => name === known[index])
  if (!isKnown) {
    throw new BackupError('newer', `The backup was written by a newer release of Muster, ${release}: use that one.`)
  }
}

/** Makes the tables as they were when the backup was made, unless they are there and empty. */
async function prepare(client: pg.ClientBase, db: Database, { migrations, months }: Header): Promise<void> {
  const present = await selectMigrations(client)
  if (present.length > 0) {
    const filled = await selectFilled(client, await selectTables(client))
    if (filled.length > 0) {
      throw new BackupError('not-empty', `The database is not empty: there are rows in ${filled.join(', ')}.`)
    }
    if (present.join() !== migrations.join()) {
      const last = migrations.at(-1)
      throw new BackupError('other-schema', `The database has another schema than the backup, which is of ${last}.`)
    }
  } else await migrateTo(db, migrations.at(-1) ?? '')
  for (const month of months) await createEventPartition(db, new Date(`${month}-01T00:00:00Z`))
}

type Load = Reading & { client: pg.ClientBase }

async function loadAll(load: Load, header: Header): Promise<EndLine> {
  const { client } = load
  await client.query('begin')
  await client.query(asText)
  await deleteMigrationRows(client)
  const end = await loadTables(load)
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
        if (loaded[table] !== rows) throw damaged(`it has ${loaded[table] ?? 0} rows of ${table}, not ${rows}`)
      }
      return part.end
    }
  }
  throw damaged('it is cut off')
}

/** One piece at a time: the stream does not stand an error while it has more. */
const write = (stream: copy.CopyStreamQuery, rows: Buffer): Promise<void> =>
  new Promise((resolve) => void stream.write(rows, () => resolve()))
