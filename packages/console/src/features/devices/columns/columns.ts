import { type LabeledField, labeledFields } from '../../user-settings/labels.ts'

export interface Column {
  /** ID in the URL: the name of a device's field, or `attributes.` followed by the name of an attribute. */
  id: string
  label: string
  /** Sort key in the API's format. Undefined if the API cannot sort by the column. */
  sort?: string
  /** The initial width in pixels. */
  width: number
}

const fields: Column[] = [
  { id: 'name', label: 'Name', sort: 'name', width: 220 },
  { id: 'state', label: 'State', sort: 'state', width: 140 },
  { id: 'services', label: 'Services', width: 220 },
  { id: 'platform', label: 'Platform', sort: 'platform', width: 160 },
  { id: 'created', label: 'Created', sort: 'created', width: 120 },
  { id: 'lastReported', label: 'Last reported', sort: 'lastReported', width: 145 },
  { id: 'hardwareId', label: 'Hardware ID', sort: 'hardwareId', width: 180 },
  { id: 'id', label: 'ID', sort: 'id', width: 200 },
]

const RESERVED_WIDTH = 130
const ATTRIBUTE_WIDTH = 150
const ATTRIBUTE_PREFIX = 'attributes.'
const RESERVED_PREFIX = '$svc.'

/** The first column, which contains the link to the device and which the user cannot hide. */
export const NAME_COLUMN = 'name'

const DEFAULT_ATTRIBUTES = 4

/** `attributes` contains attribute names, starting with the most frequent name. */
export const defaultColumns = (attributes: readonly string[]): readonly string[] => [
  ...['name', 'state', 'services', 'platform', 'lastReported'],
  ...attributes.slice(0, DEFAULT_ATTRIBUTES).map(columnOfName),
]

export const attributeColumn = (name: string): string => `${ATTRIBUTE_PREFIX}${name}`

/** Returns the ID of the column for an attribute, such as `site` or `$svc.categoryA`. */
export const columnOfAttribute = (name: string): string =>
  name.startsWith(RESERVED_PREFIX) ? name.slice(RESERVED_PREFIX.length) : attributeColumn(name)

/** Returns the attribute name in a column's ID, or undefined for the column of a field. */
export const attributeOf = (columnId: string): string | undefined =>
  columnId.startsWith(ATTRIBUTE_PREFIX) && columnId.length > ATTRIBUTE_PREFIX.length
    ? columnId.slice(ATTRIBUTE_PREFIX.length)
    : undefined

const isLabeled = (id: string): id is LabeledField => labeledFields.some((field) => field === id)

export function columnOf(id: string, labels: Readonly<Record<LabeledField, string>>): Column | undefined {
  const field = fields.find((each) => each.id === id)
  if (field !== undefined) return field
  if (isLabeled(id)) return { id, label: labels[id], sort: `$svc.${id}`, width: RESERVED_WIDTH }
  const attribute = attributeOf(id)
  return attribute === undefined ? undefined : { id, label: attribute, sort: id, width: ATTRIBUTE_WIDTH }
}

/** Returns the column ID for a column's name in a view, such as `platform`, `site`, or `$svc.categoryA`. */
export const columnOfName = (name: string): string =>
  fieldColumns.includes(name) || attributeOf(name) !== undefined ? name : columnOfAttribute(name)

export const fieldColumns: readonly string[] = [...fields.map(({ id }) => id), ...labeledFields]

/**
 * Returns the columns with these IDs, with labels and widths from the view, if any. Puts the name column first, and
 * skips duplicate and unknown IDs.
 */
export function columnsOf(
  ids: readonly string[],
  labels: Readonly<Record<LabeledField, string>>,
  ofView: readonly ViewColumn[] = [],
): Column[] {
  return [...new Set([NAME_COLUMN, ...ids])].flatMap((id) => {
    const column = columnOf(id, labels)
    if (column === undefined) return []
    const { label, width } = ofView.find(({ name }) => columnOfName(name) === id) ?? {}
    return { ...column, label: label ?? column.label, width: width ?? column.width }
  })
}

interface ViewColumn {
  name: string
  label: string | null
  width: number | null
}

/** Returns an attribute's value, if any. The part of the name before the first dot is the group. */
export function attributeValue(attributes: Record<string, unknown> | undefined, name: string): string | undefined {
  const dot = name.indexOf('.')
  const found = dot < 0 ? attributes?.[name] : groupOf(attributes?.[name.slice(0, dot)])?.[name.slice(dot + 1)]
  return typeof found === 'string' ? found : undefined
}

const groupOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
