import { type Cell, formatCsvRow } from './rfc-4180.ts'

/**
 * Matches cells that a spreadsheet runs as formulas (OWASP, "CSV Injection"), except plain numbers such as -5. Allows
 * leading apostrophes, so that `neutralizeFormula` also adds an apostrophe to `'=1`, and `restoreFormula` does not
 * remove the original one. The last four characters are the full-width forms of =, +, -, and @.
 */
const formula = /^'*(?![+-]?\d+(?:\.\d+)?$)[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** Adds an apostrophe to formulas, so that spreadsheets show them instead of running them. */
export const neutralizeFormula = (cell: Cell): Cell => (cell !== null && formula.test(cell) ? `'${cell}` : cell)

/** Reverses `neutralizeFormula`. */
export const restoreFormula = (cell: Cell): Cell => (cell?.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

/** Formats a row so that spreadsheets show its formulas instead of running them. */
export const formatNeutralRow = (cells: readonly Cell[]): string => formatCsvRow(cells.map(neutralizeFormula))
