import { BackupError } from './backup-error.ts'

/** Written by this release, and the newest that it reads. */
export const FORMAT = 1

/** The first line. */
export interface Header {
  muster: 'backup'
  format: number
  /** Of Muster. */
  release: string
  created: string
  /** All that had run, in order. */
  migrations: string[]
  /** Tell which master keys the secrets are encrypted under: one, two in the middle of a rotation. */
  masterKeys: string[]
  /** Of which there are partitions of the event log, such as 2026-11. */
  months: string[]
  /** The last value that was drawn of each. */
  sequences: Record<string, string>
}

/** The line before the rows of a table. */
export interface TableLine {
  table: string
  columns: string[]
}

/** The last line. */
export interface EndLine {
  /** How many of each table. */
  rows: Record<string, number>
  /** Of every byte before this line. */
  sha256: string
}

/** Behind the last row of a table. A row cannot be these two characters: COPY doubles a backslash. */
export const END_OF_ROWS = Buffer.from('\\.\n')

export const lineOf = (value: Header | TableLine | EndLine): Buffer => Buffer.from(`${JSON.stringify(value)}\n`)

export const damaged = (what: string, cause?: unknown): BackupError =>
  new BackupError('damaged', `The file is no whole backup: ${what}.`, { cause })

export function parseHeader(line: Buffer): Header {
  const header = parseLine(line) as Partial<Header>
  if (header.muster !== 'backup') throw damaged('it does not begin as one')
  if (typeof header.format !== 'number' || header.format > FORMAT) {
    throw new BackupError(
      'newer',
      `The backup was written by a newer release of Muster, ${header.release}: use that one.`,
    )
  }
  return header as Header
}

export function parseSectionLine(line: Buffer): TableLine | EndLine {
  const section = parseLine(line) as Partial<TableLine & EndLine>
  if (typeof section.table === 'string' && Array.isArray(section.columns)) return section as TableLine
  if (typeof section.sha256 === 'string' && Object(section.rows) === section.rows) return section as EndLine
  throw damaged('a line of it is none that Muster writes')
}

function parseLine(line: Buffer): object {
  try {
    return Object(JSON.parse(line.toString('utf8'))) as object
  } catch (error) {
    throw damaged('a line of it is none that Muster writes', error)
  }
}
