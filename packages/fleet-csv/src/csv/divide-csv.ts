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

export function divideCsv(header: readonly Cell[], rows: Iterable<readonly Cell[]>): DividedCsv {
  const names = formatCsvRow(header)
  const parts: string[] = []
  const lines: number[] = []
  let part: string[] = []
  let bytes = 0
  let next = 2
  const endPart = (): void => {
    if (part.length > 0) parts.push(names + part.join(''))
    part = []
    bytes = 0
    // In the next part, the server continues with the line number after that of this part's last row, even if that row
    // spans several lines.
    if (lines.length > 0) next = lines.at(-1)! + 1
  }
  for (const row of rows) {
    const text = formatCsvRow(row)
    const size = jsonBytes(text)
    if (part.length === ROWS || (part.length > 0 && bytes + size > BYTES)) endPart()
    part.push(text)
    bytes += size
    lines.push(next)
    next += text.match(/\r\n|\n|\r/g)!.length
  }
  endPart()
  return { parts, lines }
}
