import type { Cell } from './cells.ts'

/**
 * What a spreadsheet runs as a formula, behind any apostrophes: a cell that begins with one of these characters (OWASP, "CSV
 * Injection"; the last four are full-width), unless it is a plain number. Numbers such as -5 call nothing, and people calculate
 * with them.
 */
const formula = /^'*(?![+-]?\d+(?:\.\d+)?$)[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** Puts an apostrophe before what a spreadsheet would run, so that it shows as text. `restoreFormula` takes it away. */
export const neutralizeFormula = (cell: Cell): Cell => (cell !== null && formula.test(cell) ? `'${cell}` : cell)

/** Takes away the apostrophe of `neutralizeFormula`, and no other. */
export const restoreFormula = (cell: Cell): Cell => (cell?.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)
