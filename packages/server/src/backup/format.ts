import { BackupError, writtenByOtherRelease } from './backup-error.ts'

/** The format version that this release writes, and the newest version that it reads. */
export const FORMAT = 1

export interface Header {
  muster: 'backup'
  format: number
  release: string
  created: string
  /** All migrations that had run before the backup, in order. */
  migrations: string[]
  /**
   * The check values of the master keys that encrypt the secrets. A backup usually has one value. It has two values if
   * it was written during a rotation, and none if no server has ever started on the database.
   */
  masterKeys: string[]
  /** The months that have a partition in the event log, such as 2026-11. */
  months: string[]
  sequences: Record<string, string>
}

export interface TableLine {
  table: string
  columns: string[]
}

export interface EndLine {
  rows: Record<string, number>
  /** The SHA-256 hash, in hexadecimal, of all uncompressed bytes before this line. */
  sha256: string
}

/** Ends the rows of a table. No row can look like this line, because COPY doubles every backslash in a value. */
export const END_OF_ROWS = Buffer.from('\\.\n')

export const lineOf = (value: Header | TableLine | EndLine): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

export const damaged = (what: string, cause?: unknown): BackupError =>
  new BackupError('damaged', `The file is damaged or is not a backup: ${what}.`, { cause })

export function parseHeader(line: Buffer): Header {
  const header = parseLine(line) as Partial<Header>
  const { muster, format, release } = header
  if (muster !== 'backup') throw damaged('its first line is not a backup header')
  if (typeof format !== 'number') throw damaged('its header does not contain a format version')
  if (format > FORMAT) throw writtenByOtherRelease('newer', { what: 'The backup', release })
  return header as Header
}

export function parseSectionLine(line: Buffer): TableLine | EndLine {
  const section = parseLine(line) as Partial<TableLine & EndLine>
  if (typeof section.table === 'string' && Array.isArray(section.columns)) return section as TableLine
  if (typeof section.sha256 === 'string' && Object(section.rows) === section.rows) return section as EndLine
  throw damaged('it contains an invalid line')
}

function parseLine(line: Buffer): object {
  try {
    return Object(JSON.parse(line.toString('utf8'))) as object
  } catch (error) {
    throw damaged('it contains an invalid line', error)
  }
}
