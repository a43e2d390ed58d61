import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import type pg from 'pg'
import copy from 'pg-copy-streams'
import { replacePrivateFile } from '../lib/private-file.ts'
import { version } from '../version.ts'
import { BackupError } from './backup-error.ts'
import {
  beginSnapshot,
  copyOut,
  selectMasterKeys,
  selectMigrations,
  selectMonths,
  selectRunningMigration,
  selectSequences,
  selectTables,
} from './backup-tables.queries.ts'
import { createThrottle } from './byte-throttle.ts'
import { END_OF_ROWS, type EndLine, FORMAT, type Header, lineOf } from './format.ts'

export interface WriteBackupOptions {
  /** Must not have a statement timeout. */
  pool: pg.Pool
  file: string
  /** The maximum number of bytes to read per second. If 0 or omitted, there is no limit. */
  rate?: number
  signal?: AbortSignal
  /** Called with the number of bytes done so far and the total, which is the size of the tables on disk. */
  onProgress?: (done: number, total: number) => void
}

export interface WrittenBackup {
  created: string
  rows: Record<string, number>
  bytes: number
}

/**
 * Writes a backup to a new file. Throws if the file already exists, if the database does not contain Muster's tables,
 * or if a migration is running or has just finished. If the backup fails, no new file remains.
 */
export async function writeBackup(options: WriteBackupOptions): Promise<WrittenBackup> {
  const { pool, file, signal } = options
  await assertFree(file)
  const client = await pool.connect()
  let result: { header: Header; end: EndLine } | undefined
  try {
    const lines = contents(client, options, (written) => (result = written))
    const source = Readable.from(lines, { objectMode: false, ...(signal && { signal }) })
    // If the source fails, the pipeline destroys the compressor, which makes the write fail too.
    await replacePrivateFile(
      file,
      pipeline(source, createZstdCompress(), () => {}),
      'root',
    )
    client.release()
  } catch (error) {
    // The connection may be in the middle of a response, so it cannot be reused.
    client.release(true)
    throw error
  }
  const { header, end } = result!
  return { created: header.created, rows: end.rows, bytes: (await stat(file)).size }
}

async function assertFree(file: string): Promise<void> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found !== undefined) throw new BackupError('taken', `${file} already exists. Nothing was written.`)
}

async function* contents(
  client: pg.ClientBase,
  { onProgress = () => {}, rate = 0, signal }: WriteBackupOptions,
  onEnd: (written: { header: Header; end: EndLine }) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes)
    return bytes
  }
  const migrations = await selectMigrations(client)
  if (migrations.length === 0) throw new BackupError('no-muster', "The database does not contain Muster's tables.")
  const tables = await selectTables(client)
  await beginSnapshot(client, tables)
  const header = await readHeader(client)
  await assertNoMigration(client, migrations, header)
  yield hashed(lineOf(header))

  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const throttle = createThrottle(rate, signal)
  const streams = new Map<string, copy.CopyToStreamQuery>()
  let previousBytes = 0
  for (const table of tables) {
    yield hashed(lineOf({ table: table.name, columns: table.columns }))
    const stream = client.query(copy.to(copyOut(table)))
    streams.set(table.name, stream)
    let bytes = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      yield hashed(chunk)
      await throttle(chunk.length)
      bytes += chunk.length
      onProgress(previousBytes + Math.min(bytes, table.bytes), total)
    }
    yield hashed(END_OF_ROWS)
    previousBytes += table.bytes
    onProgress(previousBytes, total)
  }
  await client.query('commit')
  const rows = Object.fromEntries([...streams].map(([table, { rowCount }]) => [table, rowCount]))
  const end = { rows, sha256: hash.digest('hex') }
  yield lineOf(end)
  onEnd({ header, end })
}

/** Throws if a migration is running, or if one has changed the tables since they were listed. */
async function assertNoMigration(client: pg.ClientBase, migrations: readonly string[], header: Header): Promise<void> {
  const running = await selectRunningMigration(client)
  if (running === undefined && migrations.join() === header.migrations.join()) return
  const last = running ?? header.migrations.at(-1)
  throw new BackupError(
    'upgrading',
    `A migration of the database to ${last} is running, was interrupted, or has just finished. If it was interrupted, run "muster migrate" or start the server to continue it. Try again after the migration has finished.`,
  )
}

/** Reads the values for the header. The snapshot must have begun. Otherwise, the header might not match the rows. */
async function readHeader(client: pg.ClientBase): Promise<Header> {
  return {
    muster: 'backup',
    format: FORMAT,
    release: version,
    migrations: await selectMigrations(client),
    created: new Date().toISOString(),
    masterKeys: await selectMasterKeys(client),
    months: await selectMonths(client),
    sequences: await selectSequences(client),
  }
}
