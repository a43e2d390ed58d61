import { type LabelledField, labelledFields } from '../user-settings/labels.ts'

export interface Column {
  /** Stands in the address: a field of a device, or `attributes.` and an attribute's name. */
  id: string
  label: string
  /** What `sort` calls it; undefined where the API does not sort by it. */
  sort?: string
  /** Pixels, until the person resizes it. */
  width: number
}

const fields: (Omit<Column, 'id'> & { id: string })[] = [
  { id: 'name', label: 'Name', sort: 'name', width: 220 },
  { id: 'state', label: 'State', sort: 'state', width: 140 },
  { id: 'services', label: 'Services', width: 220 },
  { id: 'platform', label: 'Platform', sort: 'platform', width: 160 },
  { id: 'created', label: 'Created', sort: 'created', width: 120 },
  { id: 'lastReported', label: 'Last reported', sort: 'lastReported', width: 145 },
  { id: 'hardwareId', label: 'Hardware id', sort: 'hardwareId', width: 180 },
  { id: 'id', label: 'Id', sort: 'id', width: 200 },
]

const RESERVED_WIDTH = 130
const ATTRIBUTE_WIDTH = 150
const ATTRIBUTE = 'attributes.'

/** Always there and always first: it names the row and links to the device. */
export const NAME_COLUMN = 'name'

export const defaultColumns: readonly string[] = [
  ...['name', 'state', 'services', 'platform', 'created', 'lastReported'],
  ...labelledFields,
]

export const attributeColumn = (name: string): string => `${ATTRIBUTE}${name}`

/** The attribute that a column shows; undefined for a field's. */
export const attributeOf = (columnId: string): string | undefined =>
  columnId.startsWith(ATTRIBUTE) && columnId.length > ATTRIBUTE.length ? columnId.slice(ATTRIBUTE.length) : undefined

const isLabelled = (id: string): id is LabelledField => labelledFields.some((field) => field === id)

/** The column of an id, undefined for an id that is none. */
export function columnOf(id: string, labels: Readonly<Record<LabelledField, string>>): Column | undefined {
  const field = fields.find((each) => each.id === id)
  if (field !== undefined) return field
  if (isLabelled(id)) return { id, label: labels[id], sort: `$svc.${id}`, width: RESERVED_WIDTH }
  const attribute = attributeOf(id)
  return attribute === undefined ? undefined : { id, label: attribute, sort: id, width: ATTRIBUTE_WIDTH }
}

/** The ids of every column that is a field. */
export const fieldColumns: readonly string[] = [...fields.map(({ id }) => id), ...labelledFields]

/** What is shown: the name first, each once, nothing that is no column. */
export function columnsOf(ids: readonly string[], labels: Readonly<Record<LabelledField, string>>): Column[] {
  const distinct = new Set([NAME_COLUMN, ...ids])
  return [...distinct].flatMap((id) => columnOf(id, labels) ?? [])
}

/** A value of nested attributes by its name; the first dot separates group and sub-name. */
export function attributeValue(attributes: Record<string, unknown> | undefined, name: string): string | undefined {
  const dot = name.indexOf('.')
  const found = dot < 0 ? attributes?.[name] : groupOf(attributes?.[name.slice(0, dot)])?.[name.slice(dot + 1)]
  return typeof found === 'string' ? found : undefined
}

const groupOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
