import { jsonBytes } from '../import/batches.ts'
import { type Cell, formatCsvRow } from './rfc-4180.ts'

/**
 * Maximum size of a part's rows as JSON, in bytes, unless a single row is larger. The API limits a request body to
 * 1 MiB.
 */
const BYTES = 512 * 1024
/** Maximum number of rows in a part. */
const ROWS = 5_000

export interface DividedCsv {
  /** Each part is a CSV string that begins with the header. */
  parts: string[]
  /** For each row, the line number that the job reports. The job counts the header once, as line 1. */
  lines: number[]
}

/** If `fileLines` contains the line of each row in a file, adds empty lines, so that the job reports these lines. */
export function divideCsv(
  header: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  fileLines?: readonly number[],
): DividedCsv {
  const names = formatCsvRow(header)
  const parts: string[] = []
  const lines: number[] = []
  let part: string[] = []
  let bytes = 0
  let next = 1 + countLineEnds(names)
  const endPart = (): void => {
    if (part.length > 0) parts.push(names + part.join(''))
    part = []
    bytes = 0
    // In the next part, the server continues with the line number after that of this part's last row. It counts that
    // row as one line, even if the row spans several lines.
    if (lines.length > 0) next = lines.at(-1)! + 1
  }
  for (const [index, row] of rows.entries()) {
    const text = formatCsvRow(row)
    const withEmptyLines = (): string => '\n'.repeat((fileLines?.[index] ?? next) - next) + text
    if (part.length === ROWS || (part.length > 0 && bytes + jsonBytes(withEmptyLines()) > BYTES)) endPart()
    // The end of a part can change the number of empty lines.
    const added = withEmptyLines()
    part.push(added)
    bytes += jsonBytes(added)
    const line = fileLines?.[index] ?? next
    lines.push(line)
    next = line + countLineEnds(text)
  }
  endPart()
  return { parts, lines }
}

const countLineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)!.length
