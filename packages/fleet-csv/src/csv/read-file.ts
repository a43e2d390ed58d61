import { type Column, parseHeader } from './columns.ts'
import { decodeText } from './decode-text.ts'
import { type DeviceRow, parseDeviceRow } from './device-row.ts'
import { FileError } from './file-error.ts'
import { restoreFormula } from './formulas.ts'
import { type CsvProblem, type CsvRow, parseCsv } from './rfc-4180.ts'

export interface DeviceFile {
  columns: Column[]
  rows: DeviceRow[]
  problems: CsvProblem[]
}

export interface ReadOptions {
  /**
   * Whether to read cells unchanged. By default, `readDeviceFile` removes the apostrophe that `neutralizeFormula` adds.
   */
  isRaw?: boolean
  /** Whether a row needs only an ID, a hardware ID, or a name. By default, every row must have a name. */
  findsDevices?: boolean
}

/**
 * Parses a device file. Throws a FileError if the file is empty, is in UTF-16, or has an invalid header. Returns each
 * invalid row after the header as a problem.
 */
export function readDeviceFile(
  bytes: Uint8Array,
  { isRaw = false, findsDevices = false }: ReadOptions = {},
): DeviceFile {
  const { text, valid } = decodeText(bytes)
  const records = isRaw ? parseCsv(text) : restoreFormulas(parseCsv(text))
  const first = records.next()
  if (first.done) {
    const required = findsDevices
      ? 'at least one of the columns "id", "hardwareId", and "name" is required'
      : 'only the column "name" is required'
    throw new FileError('the file is empty', `the first row must name the columns; ${required}`)
  }
  const columns = readHeader(first.value, { valid, findsDevices })
  const rows: DeviceRow[] = []
  const problems: CsvProblem[] = []
  for (const record of records) {
    try {
      rows.push(parseDeviceRow(columns, assertReadable(record, valid), { findsDevices }))
    } catch (error) {
      problems.push({ line: record.line, reason: (error as Error).message })
    }
  }
  return { columns, rows, problems }
}

function* restoreFormulas(records: Iterable<CsvRow | CsvProblem>): Generator<CsvRow | CsvProblem> {
  for (const record of records)
    yield 'reason' in record ? record : { ...record, cells: record.cells.map(restoreFormula) }
}

function readHeader(
  record: CsvRow | CsvProblem,
  { valid, findsDevices }: { valid: boolean; findsDevices: boolean },
): Column[] {
  try {
    return parseHeader(assertReadable(record, valid).cells, { findsDevices })
  } catch (error) {
    throw new FileError(`line ${record.line}: ${(error as Error).message}`)
  }
}

/** Throws if the record has invalid quotes, bytes that are not UTF-8, or characters that no value can contain. */
export function assertReadable(record: CsvRow | CsvProblem, valid: boolean): CsvRow {
  if ('reason' in record) throw new Error(record.reason)
  if (!valid && record.cells.some((cell) => cell?.includes('\uFFFD')))
    throw new Error('the row contains bytes that are not valid UTF-8; save the file as UTF-8')
  if (record.cells.some((cell) => cell?.includes('\u0000')))
    throw new Error('the row contains the character U+0000, which no value can contain; remove it')
  return record
}
