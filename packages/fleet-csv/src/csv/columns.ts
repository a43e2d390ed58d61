import type { Cell } from './cells.ts'

export const fixedColumns = ['name', 'hardwareId', 'platform', 'services'] as const
export type FixedColumn = (typeof fixedColumns)[number]

/** What a column holds: a field of the device, or the attribute of this name. */
export type Column = { field: FixedColumn } | { attribute: string }

/** Marks an attribute that is called like a fixed column. */
const PREFIX = 'attributes.'

/** The header's columns. Throws an Error that says which name is wrong and why. */
export function parseHeader(cells: readonly Cell[]): Column[] {
  const columns = cells.map((cell, index) => parseColumn(cell, index))
  const seen = new Map<string, number>()
  columns.forEach((column, index) => {
    const key = 'field' in column ? column.field : `${PREFIX}${column.attribute}`
    const earlier = seen.get(key)
    if (earlier !== undefined) {
      throw new Error(`columns ${earlier + 1} and ${index + 1} are both called ${JSON.stringify(cells[index])}`)
    }
    seen.set(key, index)
  })
  if (!seen.has('name')) throw new Error(`there is no column "name"${missingHint(cells)}`)
  return columns
}

function missingHint(cells: readonly Cell[]): string {
  const [only] = cells
  if (cells.length === 1 && only?.includes(';')) return '; the columns must stand apart by commas, not by semicolons'
  if (cells.length === 1 && only?.includes('\t')) return '; the columns must stand apart by commas, not by tabs'
  return `; the first row must name the columns, and it has ${cells.map((cell) => JSON.stringify(cell ?? '')).join(', ')}`
}

function parseColumn(cell: Cell, index: number): Column {
  if (!cell) throw new Error(`column ${index + 1} has no name`)
  const field = fixedColumns.find((name) => name === cell)
  if (field !== undefined) return { field }
  const attribute = cell.startsWith(PREFIX) ? cell.slice(PREFIX.length) : cell
  const problem = attributeNameProblem(attribute)
  if (problem !== undefined) throw new Error(`column ${index + 1}, ${JSON.stringify(cell)}: ${problem}`)
  return { attribute }
}

function attributeNameProblem(name: string): string | undefined {
  if (name === '') return `an attribute's name stands behind ${JSON.stringify(PREFIX)}`
  if (name.startsWith('.') || name.endsWith('.')) return "an attribute's name neither begins nor ends with a dot"
  if (/\p{Cc}/u.test(name)) return "an attribute's name has no control characters"
  if (!name.startsWith('$') || /^\$svc\.(category|status)[A-E]$/.test(name)) return undefined
  return 'of the names that begin with $, a device takes $svc.categoryA to E and $svc.statusA to E'
}

/** The header of an attribute's column: its name, marked where it would read as something else. */
export function attributeColumn(name: string): string {
  const needsPrefix = fixedColumns.some((fixed) => fixed === name) || name.startsWith(PREFIX)
  return needsPrefix ? `${PREFIX}${name}` : name
}

/** Columns that are taken as attributes and were most likely meant as fixed ones: `Platform`, `hardware_id`. */
export function suspectColumns(columns: readonly Column[]): { found: string; meant: FixedColumn }[] {
  const simple = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')
  return columns.flatMap((column) => {
    if ('field' in column) return []
    const meant = fixedColumns.find((name) => simple(name) === simple(column.attribute))
    return meant === undefined || meant === column.attribute ? [] : [{ found: column.attribute, meant }]
  })
}
