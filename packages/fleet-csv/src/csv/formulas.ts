import { type Cell, formatCsvRow } from './cells.ts'

/**
 * Matches cells that a spreadsheet runs as formulas: after any apostrophes, they begin with one of these characters
 * (OWASP, "CSV Injection"; the last four are full-width) and are not plain numbers. Numbers such as -5 are harmless and
 * are used in calculations.
 */
const formula = /^'*(?![+-]?\d+(?:\.\d+)?$)[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Adds an apostrophe to formulas, so that spreadsheets show them instead of running them. `restoreFormula` removes it.
 */
export const neutralizeFormula = (cell: Cell): Cell => (cell !== null && formula.test(cell) ? `'${cell}` : cell)

/** Removes only the apostrophe of `neutralizeFormula`. */
export const restoreFormula = (cell: Cell): Cell => (cell?.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

/** Formats a row whose formulas spreadsheets show instead of running them. */
export const formatNeutralRow = (cells: readonly Cell[]): string => formatCsvRow(cells.map(neutralizeFormula))
