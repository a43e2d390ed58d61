import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import type pg from 'pg'
import copy from 'pg-copy-streams'
import { replacePrivateFile } from '../lib/private-file.ts'
import { version } from '../version.ts'
import {
  beginSnapshot,
  copyOut,
  selectMasterKeys,
  selectMigrations,
  selectMigrationUnderWay,
  selectMonths,
  selectSequences,
  selectTables,
} from './backup.queries.ts'
import { BackupError } from './backup-error.ts'
import { END_OF_ROWS, type EndLine, FORMAT, type Header, lineOf } from './format.ts'
import { createThrottle } from './throttle.ts'

export interface WriteBackupOptions {
  /** Statements on it must be allowed to take long. */
  pool: pg.Pool
  /** Must not be there yet. */
  file: string
  /** Bytes that are read in a second at most; 0 or not set: no limit. */
  rate?: number
  signal?: AbortSignal
  /** Bytes done, of about how many. */
  onProgress?: (done: number, total: number) => void
}

export interface WrittenBackup {
  created: string
  /** How many of each table. */
  rows: Record<string, number>
  /** Of the file. */
  bytes: number
}

/** Writes everything that is in the database at one moment to a file, whole or not at all. */
export async function writeBackup(options: WriteBackupOptions): Promise<WrittenBackup> {
  const { pool, file, signal } = options
  await assertFree(file)
  const client = await pool.connect()
  let result: { header: Header; end: EndLine } | undefined
  try {
    const lines = contents(client, options, (written) => (result = written))
    const source = Readable.from(lines, { objectMode: false, ...(signal && { signal }) })
    // A fault of the first ends the second, and so the writing.
    await replacePrivateFile(
      file,
      pipeline(source, createZstdCompress(), () => {}),
      'root',
    )
    client.release()
  } catch (error) {
    // In the middle of an answer: of no more use.
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
  if (found !== undefined) throw new BackupError('taken', `${file} is there already, and nothing was written.`)
}

type Written = (written: { header: Header; end: EndLine }) => void

async function* contents(
  client: pg.ClientBase,
  { onProgress = () => {}, rate = 0, signal }: WriteBackupOptions,
  onEnd: Written,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes)
    return bytes
  }
  const migrations = await selectMigrations(client)
  if (migrations.length === 0) {
    throw new BackupError('no-muster', 'There is nothing of Muster in this database.')
  }
  const tables = await selectTables(client)
  await beginSnapshot(client, tables)
  const header = await readHeader(client)
  await assertSettled(client, migrations, header)
  yield hashed(lineOf(header))

  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const throttle = createThrottle(rate, signal)
  const streams = new Map<string, copy.CopyToStreamQuery>()
  let before = 0
  for (const table of tables) {
    yield hashed(lineOf({ table: table.name, columns: table.columns }))
    const stream = client.query(copy.to(copyOut(table)))
    streams.set(table.name, stream)
    let bytes = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      yield hashed(chunk)
      await throttle(chunk.length)
      bytes += chunk.length
      onProgress(before + Math.min(bytes, table.bytes), total)
    }
    yield hashed(END_OF_ROWS)
    before += table.bytes
    onProgress(before, total)
  }
  await client.query('commit')
  const rows = Object.fromEntries([...streams].map(([table, { rowCount }]) => [table, rowCount]))
  const end = { rows, sha256: hash.digest('hex') }
  yield lineOf(end)
  onEnd({ header, end })
}

/** The tables were looked at before the snapshot: what it holds must be theirs, and that of a schema which a release has. */
async function assertSettled(client: pg.ClientBase, migrations: readonly string[], header: Header): Promise<void> {
  const underWay = await selectMigrationUnderWay(client)
  if (underWay === undefined && migrations.join() === header.migrations.join()) return
  const last = underWay ?? header.migrations.at(-1)
  throw new BackupError(
    'upgrading',
    `A newer release of Muster is bringing the database to ${last}: make the backup once that is done.`,
  )
}

/** The first statements of the snapshot: what they read is of the same moment as the rows. */
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
