/** A cell's text; null where nothing stands between the commas. `""` is the empty string. */
export type Cell = string | null

export interface CsvRow {
  /** Where the row begins, counted from 1. */
  line: number
  cells: Cell[]
}

/** A row that cannot be read. The rows after it can. */
export interface CsvProblem {
  line: number
  reason: string
}

/**
 * Reads CSV (RFC 4180) with commas, and tells an empty cell from a quoted empty one. Lines end in LF, CRLF or CR; blank
 * ones are passed over. After a broken quote reading goes on at the next line, so that one bad row costs no other.
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
  /** Where the next row begins. */
  next: number
  reason?: string
}

function readRow(text: string, start: number): Read {
  const cells: Cell[] = []
  for (let at = start; ; at++) {
    const quoted = text[at] === '"'
    const end = quoted ? closingQuote(text, at) + 1 : unquotedEnd(text, at)
    const reason = end === 0 ? 'a quote opens here and is never closed' : quoteProblem(text, { at, end, quoted })
    if (reason !== undefined) return { cells, reason, next: lineAfter(text, at) }
    const content = text.slice(at, end)
    cells.push(quoted ? content.slice(1, -1).replaceAll('""', '"') : content || null)
    at = end
    if (text[at] !== ',') return { cells, next: lineAfter(text, at) }
  }
}

/** Where the quote that opens at `open` closes: at one that is not doubled. -1 if nowhere. */
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
    return `text stands behind a closing quote (${JSON.stringify(text.slice(end, end + 10))}); a quote inside a quoted cell is written twice`
  }
  if (!text.slice(at, end).includes('"')) return undefined
  return 'a quote stands inside a cell that is not quoted; quote the whole cell and write the quotes inside it twice'
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

/** A row as `parseCsv` reads it back, LF at its end. */
export function formatCsvRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(',')}\n`
}

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  // Blanks at the ends are part of the cell; quotes keep other programs from taking them away.
  return cell === '' || /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
