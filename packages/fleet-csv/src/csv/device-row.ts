import { type DeviceFields, fieldNames } from '../fields.ts'
import type { Column } from './columns.ts'
import type { CsvRow } from './rfc-4180.ts'
import { parseServices, type ServiceEntry } from './services-cell.ts'

/**
 * A parsed row of a device file. Without `findsDevices`, `id` is undefined. An empty cell or a missing column has these
 * values:
 *
 * - `name`: the empty string
 * - `hardwareId` and `platform`: null
 * - `services`: an empty array
 * - an attribute: omitted from `attributes`
 */
export interface DeviceRow extends DeviceFields {
  line: number
  id?: string | null
  services: ServiceEntry[]
  /** Values, keyed by the attribute's full name, such as `net.ssid`. */
  attributes: Map<string, string>
}

const unset = { ...Object.fromEntries(fieldNames.map((name) => [name, null])), name: '' } as DeviceFields

/** Parses a row after the header. Throws an Error that explains what is invalid. */
export function parseDeviceRow(
  columns: readonly Column[],
  { line, cells }: CsvRow,
  { findsDevices = false } = {},
): DeviceRow {
  if (cells.length !== columns.length)
    throw new Error(
      `the row has ${count(cells.length, 'cell')}, but the header has ${count(columns.length, 'column')}; write one cell for each column, and quote cells that contain a comma`,
    )
  const row: DeviceRow = { ...unset, line, services: [], attributes: new Map() }
  columns.forEach((column, index) => {
    const cell = cells[index] ?? null
    if (findsDevices && 'ignored' in column && column.ignored === 'id') row.id = cell
    if (cell === null || 'ignored' in column) return
    if ('attribute' in column) row.attributes.set(column.attribute, cell)
    else if (column.field === 'services') row.services = parseServices(cell)
    else if (cell.trim() === '')
      throw new Error(`${column.field} must not be empty or only whitespace${emptyCellHint(column.field)}`)
    else row[column.field] = cell
  })
  if (findsDevices) {
    if (row.name === '' && row.hardwareId === null && row.id == null)
      throw new Error('the row must have an id, a hardwareId, or a name')
  } else if (row.name === '') throw new Error('name must not be empty')
  assertNoValueIsGroup(row.attributes)
  return row
}

const emptyCellHint = (field: string): string =>
  field === 'name' ? '' : '; to set no value, use an empty cell without quotes'

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

/** Throws if a name is both a value and a group. For example, a device cannot have both `net` and `net.ssid`. */
export function assertNoValueIsGroup(attributes: ReadonlyMap<string, string>): void {
  for (const name of attributes.keys()) {
    const [group] = splitName(name)
    if (group !== undefined && attributes.has(group))
      throw new Error(`${group} cannot be both a value and the group of ${name}; rename one of these attributes`)
  }
}

/**
 * Splits an attribute name at the first dot into its group and the name in the group. The group of a name without a dot
 * is undefined.
 */
export function splitName(name: string): [group: string | undefined, name: string] {
  const dot = name.indexOf('.')
  return dot === -1 ? [undefined, name] : [name.slice(0, dot), name.slice(dot + 1)]
}

export type NestedAttributes = Record<string, string | Record<string, string>>

export function nestAttributes(attributes: Iterable<readonly [name: string, value: string]>): NestedAttributes {
  // Use a Map, because an attribute can have the name __proto__.
  const nested = new Map<string, string | Map<string, string>>()
  for (const [fullName, value] of attributes) {
    const [group, name] = splitName(fullName)
    if (group === undefined) {
      nested.set(name, value)
      continue
    }
    const members = nested.get(group)
    if (members instanceof Map) members.set(name, value)
    else nested.set(group, new Map([[name, value]]))
  }
  return Object.fromEntries(
    [...nested].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
  )
}

export function flattenAttributes(nested: NestedAttributes): Map<string, string> {
  return new Map(
    Object.entries(nested).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string'
        ? [[name, value]]
        : Object.entries(value).map(([sub, text]) => [`${name}.${sub}`, text]),
    ),
  )
}
