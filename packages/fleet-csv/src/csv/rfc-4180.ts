/** The string in a cell, or null if the cell is empty. A cell written as `""` is the empty string, not null. */
export type Cell = string | null

export interface CsvRow {
  /** The row's first line in the file, counted from 1. */
  line: number
  cells: Cell[]
}

/** A row that cannot be parsed or imported, and the reason. */
export interface CsvProblem {
  line: number
  reason: string
}

/**
 * Parses CSV (RFC 4180) with commas, and distinguishes an empty cell from a quoted empty cell. Accepts LF, CRLF, and CR
 * as line ends. Skips empty lines and a byte order mark. If a cell has invalid quotes, yields a problem and continues
 * at the line after the one where the cell begins. The cell therefore does not affect other rows.
 */
export function* parseCsv(text: string): Generator<CsvRow | CsvProblem> {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const { next, cells, reason } = readRow(text, at)
    if (reason !== undefined) yield { line, reason }
    else if (cells.length > 1 || cells[0] !== null) yield { line, cells }
    line += countLineEnds(text, at, next)
    at = next
  }
}

interface Read {
  cells: Cell[]
  next: number
  reason?: string
}

function readRow(text: string, start: number): Read {
  const cells: Cell[] = []
  for (let at = start; ; at++) {
    const quoted = text[at] === '"'
    const end = quoted ? closingQuote(text, at) + 1 : unquotedEnd(text, at)
    const reason =
      quoted && end === 0
        ? 'a quoted cell has no closing quote; add a quote at the end of the cell'
        : quoteProblem(text, { at, end, quoted })
    if (reason !== undefined) return { cells, reason, next: lineAfter(text, at) }
    const content = text.slice(at, end)
    cells.push(quoted ? content.slice(1, -1).replaceAll('""', '"') : content || null)
    at = end
    if (text[at] !== ',') return { cells, next: lineAfter(text, at) }
  }
}

/** Returns the position of the closing quote for the quote at `open`, or -1 if there is none. Skips doubled quotes. */
function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at
}

const cellEnd = /[,\r\n]/g

function unquotedEnd(text: string, at: number): number {
  cellEnd.lastIndex = at
  return cellEnd.exec(text)?.index ?? text.length
}

function quoteProblem(text: string, { at, end, quoted }: { at: number; end: number; quoted: boolean }) {
  if (quoted) {
    const after = text[end]
    if (after === undefined || after === ',' || after === '\r' || after === '\n') return undefined
    return `unexpected text after a closing quote (${JSON.stringify(text.slice(end, end + 10))}); inside a quoted cell, write each quote twice`
  }
  if (!text.slice(at, end).includes('"')) return undefined
  return 'unexpected quote in an unquoted cell; quote the whole cell, and write each quote inside it twice: "5"" disk"'
}

const lineEnd = /\r\n|\n|\r/g

function lineAfter(text: string, at: number): number {
  lineEnd.lastIndex = at
  return lineEnd.exec(text) === null ? text.length : lineEnd.lastIndex
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0
  lineEnd.lastIndex = from
  for (let found = lineEnd.exec(text); found !== null && found.index < to; found = lineEnd.exec(text)) count++
  return count
}

/** Formats a row for `parseCsv`, with LF at the end. */
export function formatCsvRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(',')}\n`
}

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  // Also quote cells with leading or trailing whitespace, because other programs could otherwise remove it.
  return cell === '' || /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
