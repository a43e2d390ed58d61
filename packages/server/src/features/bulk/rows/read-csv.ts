import { type Column, suspectColumns } from '@muster/fleet-csv/csv/columns'
import { nestAttributes } from '@muster/fleet-csv/csv/device-row'
import { toServiceFields } from '@muster/fleet-csv/csv/device-services'
import { FileError } from '@muster/fleet-csv/csv/file-error'
import { type DeviceFile, readDeviceFile } from '@muster/fleet-csv/csv/read-file'
import { type ApiError, badInput, limitExceeded } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import { bytesOf } from '../../../rate-limits/storage-quotas.ts'
import { parseId } from '../../devices/device-id.ts'
import { applicationTypes } from '../../services/application-types.ts'
import type { CsvRow } from '../bulk-job.ts'

export interface ReadCsv {
  columns: string[]
  rows: CsvRow[]
  lines: number
}

/** `after` is the last line number of the job's previous CSV, or 0 for the first CSV. */
export function readCsv(csv: string, { path, after = 0 }: { path: string; after?: number }): ReadCsv {
  const bytes = Buffer.byteLength(csv)
  if (bytes > limits.bulkCsvBytes)
    throw limitExceeded(`${path} may have at most ${limits.bulkCsvBytes} bytes, found ${bytes}`)
  const file = parse(csv, path)
  const count = file.rows.length + file.problems.length
  if (count === 0) throw badInput(`${path} must contain at least one row after the column names`)
  if (count > limits.bulkRows) throw limitExceeded(`${path} may have at most ${limits.bulkRows} rows, found ${count}`)
  // The header line counts only in the first CSV.
  const lineOf = (line: number): number => (after === 0 ? line : after + line - 1)
  const rows = [
    ...file.rows.map((row) => toRow(row, lineOf(row.line))),
    ...file.problems.map(({ line, reason }) => rowWithError(lineOf(line), badInput(reason))),
  ].sort((one, other) => one.line - other.line)
  return { columns: file.columns.map(nameOf), rows, lines: rows.at(-1)!.line }
}

function parse(csv: string, path: string): DeviceFile {
  try {
    const file = readDeviceFile(Buffer.from(csv), { findsDevices: true })
    const [suspect] = suspectColumns(file.columns)
    if (suspect !== undefined)
      throw badInput(
        `${path}: unknown column "${suspect.found}". Did you mean "${suspect.meant}"? For an attribute, name the column "attributes.${suspect.found}"`,
      )
    return file
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw badInput(`${path}: ${error.message}${error.hint === undefined ? '' : `: ${error.hint}`}`)
  }
}

function nameOf(column: Column): string {
  if ('field' in column) return column.field
  return 'ignored' in column ? column.ignored : `attributes.${column.attribute}`
}

const empty = { id: null, name: null, hardwareId: null, platform: null, services: [], attributes: {} }

const rowWithError = (line: number, { code, message }: ApiError): CsvRow => ({
  ...empty,
  line,
  error: { code, message },
})

const malformedId =
  'id must be a device ID, such as 80:00:00:00:00:00:00:01: to find the device by hardwareId or name, use an empty cell without quotes'

function toRow(row: DeviceFile['rows'][number], line: number): CsvRow {
  const { id = null, name, hardwareId, platform, attributes } = row
  try {
    if (id !== null && parseId(id) === undefined) throw badInput(malformedId)
    return withinLimit({
      ...{ line, id, name: name === '' ? null : name, hardwareId, platform },
      services: row.services.map((entry) => toServiceFields(entry, applicationTypes)),
      attributes: nestAttributes(attributes),
    })
  } catch (error) {
    return rowWithError(line, badInput((error as Error).message))
  }
}

function withinLimit(row: CsvRow): CsvRow {
  const found = bytesOf(row)
  if (found <= limits.bulkChangeBytes) return row
  const message = `a row can have at most ${limits.bulkChangeBytes} bytes, found ${found}`
  return rowWithError(row.line, limitExceeded(message))
}
