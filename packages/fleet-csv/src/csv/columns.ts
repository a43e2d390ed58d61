import { type FieldName, fieldNames } from '../fields.ts'
import type { Cell } from './rfc-4180.ts'

export type FixedColumn = FieldName | 'services'
export const fixedColumns: readonly FixedColumn[] = [...fieldNames, 'services']

/**
 * Fields that an import cannot change. The server exports columns for them. An import ignores these columns, except
 * that it reads `id` to find devices if `findsDevices` is true.
 */
const readOnlyFields = ['id', 'created', 'state', 'online', 'stateSince', 'lastReported', 'owner', 'contexts'] as const
const servicesField =
  /^services\.(id|name|application|title|host|port|protocol|enabled|created|state|online|lastReported)$/

/** A column's content: a field of the device, an attribute, or a field that an import does not change. */
export type Column = { field: FixedColumn } | { attribute: string; isPrefixed?: true } | { ignored: string }

const isReadOnly = (name: string): boolean => readOnlyFields.some((field) => field === name) || servicesField.test(name)

/**
 * Marks a column as an attribute. Only an attribute whose name is also the name of a field, or begins with this prefix,
 * requires the prefix.
 */
export const PREFIX = 'attributes.'

const findingColumns = ['id', 'hardwareId', 'name'] as const

/**
 * Parses the column names. Throws an Error that explains which name is invalid, missing, or repeated. With
 * `findsDevices`, `id` or `hardwareId` can replace the column `name`.
 */
export function parseHeader(cells: readonly Cell[], { findsDevices = false } = {}): Column[] {
  const columns = cells.map((cell, index) => parseColumn(cell, index))
  const seen = new Map<string, number>()
  columns.forEach((column, index) => {
    const key = keyOf(column)
    const earlier = seen.get(key)
    if (earlier !== undefined) {
      const names = [cells[earlier], cells[index]].map((name) => JSON.stringify(name))
      // The names differ only if one of them begins with PREFIX.
      const what =
        names[0] === names[1] ? `have the same name ${names[0]}` : `name the same attribute (${names.join(' and ')})`
      throw new Error(`columns ${earlier + 1} and ${index + 1} ${what}; remove one of them`)
    }
    seen.set(key, index)
  })
  if (findsDevices) {
    if (!findingColumns.some((name) => seen.has(name)))
      throw new Error(`there is no column "id", "hardwareId", or "name"${missingHint(cells)}`)
  } else if (!seen.has('name')) throw new Error(`there is no column "name"${missingHint(cells)}`)
  return columns
}

function keyOf(column: Column): string {
  if ('field' in column) return column.field
  return 'ignored' in column ? column.ignored : `${PREFIX}${column.attribute}`
}

function missingHint(cells: readonly Cell[]): string {
  const [only] = cells
  if (cells.length === 1 && only?.includes(';')) return '; separate the columns with commas, not with semicolons'
  if (cells.length === 1 && only?.includes('\t')) return '; separate the columns with commas, not with tabs'
  return `; the first row must name the columns, but contains ${cells.map((cell) => JSON.stringify(cell ?? '')).join(', ')}`
}

function parseColumn(cell: Cell, index: number): Column {
  if (!cell) throw new Error(`column ${index + 1} has no name; name it or remove it`)
  const field = fixedColumns.find((name) => name === cell)
  if (field !== undefined) return { field }
  if (isReadOnly(cell)) return { ignored: cell }
  const attribute = cell.startsWith(PREFIX) ? cell.slice(PREFIX.length) : cell
  const problem = attributeNameProblem(attribute)
  if (problem !== undefined) throw new Error(`column ${index + 1}, ${JSON.stringify(cell)}: ${problem}`)
  return attribute === cell ? { attribute } : { attribute, isPrefixed: true }
}

function attributeNameProblem(name: string): string | undefined {
  if (name === '') return `an attribute name must follow ${JSON.stringify(PREFIX)}, as in "${PREFIX}site"`
  if (name.startsWith('.') || name.endsWith('.')) return 'an attribute name must not begin or end with a dot'
  if (/\p{Cc}/u.test(name)) return 'an attribute name must not contain control characters'
  if (!name.startsWith('$') || /^\$svc\.(category|status)[A-E]$/.test(name)) return undefined
  return 'the only device attributes that begin with $ are $svc.categoryA to $svc.categoryE and $svc.statusA to $svc.statusE'
}

/** Returns an attribute's column name, which begins with `PREFIX` if the attribute's name alone would be ambiguous. */
export function attributeColumn(name: string): string {
  const needsPrefix = fixedColumns.some((fixed) => fixed === name) || isReadOnly(name) || name.startsWith(PREFIX)
  return needsPrefix ? `${PREFIX}${name}` : name
}

/** Returns attribute columns that look like misspelled fixed columns, such as `Platform` and `hardware_id`. */
export function suspectColumns(columns: readonly Column[]): { found: string; meant: FixedColumn }[] {
  const simple = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')
  return columns.flatMap((column) => {
    if (!('attribute' in column) || column.isPrefixed) return []
    const meant = fixedColumns.find((name) => simple(name) === simple(column.attribute))
    return meant === undefined || meant === column.attribute ? [] : [{ found: column.attribute, meant }]
  })
}

export const ignoredColumns = (columns: readonly Column[]): string[] =>
  columns.flatMap((column) => ('ignored' in column ? [column.ignored] : []))
