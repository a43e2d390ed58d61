import { RawJson } from '../../graphql/values/raw-json.ts'
import { type AttributeName, RESERVED_GROUP } from './attribute-name.ts'

/** Attributes as in the API: a value, or a group of values, by name. */
export type Attributes = Record<string, string | Record<string, string>>

/** Attributes that are usually sent unchanged and parsed only on demand. */
export type RawAttributes = RawJson<Attributes>

/** The kind of a top-level name. A name is never both on one target. */
export type NameKind = 'value' | 'group'

/** An object for names that callers choose, including `__proto__` and `constructor`. */
export function emptyObject<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}

/** A deep copy that is safe for lookups by name and for writes. */
export function copyAttributes(attributes: Attributes): Attributes {
  const copy: Attributes = emptyObject()
  for (const [name, value] of Object.entries(attributes)) {
    copy[name] = typeof value === 'string' ? value : Object.assign(emptyObject<string>(), value)
  }
  return copy
}

/** The value of a name; null if there is none, or if the name is a group. */
export function valueAt(attributes: Attributes, [first, subName]: AttributeName): string | null {
  if (!Object.hasOwn(attributes, first)) return null
  const found = attributes[first]!
  if (typeof found === 'string') return subName === undefined ? found : null
  return subName !== undefined && Object.hasOwn(found, subName) ? found[subName]! : null
}

export function countNames(attributes: Attributes): number {
  let count = 0
  for (const value of Object.values(attributes)) count += typeof value === 'string' ? 1 : Object.keys(value).length
  return count
}

/** Bytes of the attributes as PostgreSQL writes them: JSON with a space after each colon and comma. */
export function byteSize(attributes: Attributes): number {
  let spaces = countSpaces(Object.keys(attributes).length)
  for (const value of Object.values(attributes)) {
    if (typeof value !== 'string') spaces += countSpaces(Object.keys(value).length)
  }
  return Buffer.byteLength(JSON.stringify(attributes)) + spaces
}

const countSpaces = (members: number): number => Math.max(0, 2 * members - 1)

/** Columns of device_live that contain the reserved values of a device, by their sub-names in the API. */
export const reservedColumns: ReadonlyMap<string, string> = new Map(
  ['category', 'status'].flatMap((kind) =>
    ['A', 'B', 'C', 'D', 'E'].map((letter): [string, string] => [
      `${kind}${letter}`,
      `${kind}_${letter.toLowerCase()}`,
    ]),
  ),
)

/** Values of the reserved columns by column name; null or undefined if there is none. */
export type ReservedValues = Record<string, string | null>

const subNames = [...reservedColumns.keys()]
const columns = [...reservedColumns.values()]

/** The base attributes of a device from the data of its two rows. */
export function joinReserved(attributes: Attributes, values: ReservedValues): Attributes {
  const group = reservedGroup(
    columns.map((column) => values[column]),
    0,
  )
  return group === undefined ? attributes : { ...attributes, [RESERVED_GROUP]: group }
}

/** Like `joinReserved`, for attributes as JSON. */
export function joinReservedRaw(attributes: string, group: Record<string, string> | undefined): RawAttributes {
  if (group === undefined) return new RawJson(attributes)
  const others = attributes === '{}' ? '' : `${attributes.slice(1, -1)}, `
  return new RawJson(`{${others}"${RESERVED_GROUP}": ${JSON.stringify(group)}}`)
}

/**
 * The reserved values by sub-name. `values` has them from an index, in the order of `reservedColumns`. Undefined if none is
 * set.
 */
export function reservedGroup(values: readonly unknown[], from: number): Record<string, string> | undefined {
  let group: Record<string, string> | undefined
  for (let index = 0; index < subNames.length; index++) {
    const value = values[from + index] as string | null | undefined
    if (value == null) continue
    group ??= {}
    group[subNames[index]!] = value
  }
  return group
}

/** The inverse of `joinReserved`: the attributes for each of the two rows. */
export function splitReserved(attributes: Attributes): { attributes: Attributes; reserved: Record<string, string> } {
  const { [RESERVED_GROUP]: group, ...others } = attributes
  const reserved: Record<string, string> = {}
  for (const [subName, value] of Object.entries(group ?? {})) reserved[reservedColumns.get(subName)!] = value
  return { attributes: others, reserved }
}
