import { type Cell, formatCsvRow } from './cells.ts'

/**
 * Cells that a spreadsheet runs as formulas (OWASP, "CSV Injection"), except plain numbers such as -5. Leading
 * apostrophes are allowed, so that `restoreFormula` removes only an apostrophe that `neutralizeFormula` added. The last
 * four characters are full-width.
 */
const formula = /^'*(?![+-]?\d+(?:\.\d+)?$)[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** Adds an apostrophe to formulas, so that spreadsheets show them instead of running them. */
export const neutralizeFormula = (cell: Cell): Cell => (cell !== null && formula.test(cell) ? `'${cell}` : cell)

/** Removes the apostrophe that `neutralizeFormula` adds, and no other. */
export const restoreFormula = (cell: Cell): Cell => (cell?.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

/** Formats a row so that spreadsheets show its formulas instead of running them. */
export const formatNeutralRow = (cells: readonly Cell[]): string => formatCsvRow(cells.map(neutralizeFormula))
