import { RawJson } from '../../graphql/values/raw-json.ts'
import { type AttributeName, categoryAndStatus, RESERVED_GROUP } from './attribute-name.ts'

/** Attributes in the form that the API uses: each name has a value or a group of values. */
export type Attributes = Record<string, string | Record<string, string>>

/** The server usually sends the JSON unchanged and parses it only on demand. */
export type RawAttributes = RawJson<Attributes>

/** On a target, a name cannot be both a value and a group. */
export type NameKind = 'value' | 'group'

/** Returns an object that is safe for names that callers choose, including `__proto__` and `constructor`. */
export function emptyObject<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}

/** Returns a deep copy whose names can be safely looked up and set. */
export function copyAttributes(attributes: Attributes): Attributes {
  const copy: Attributes = emptyObject()
  for (const [name, value] of Object.entries(attributes)) {
    copy[name] = typeof value === 'string' ? value : Object.assign(emptyObject<string>(), value)
  }
  return copy
}

/** Returns the base values with the overrides of one context. */
export function overlay(base: Attributes, overrides: Attributes | undefined): Attributes {
  if (overrides === undefined) return base
  const groups = Object.entries(overrides).flatMap(([name, value]) => {
    const below = Object.hasOwn(base, name) ? base[name] : undefined
    return typeof value === 'string' || typeof below !== 'object' ? [] : [[name, { ...below, ...value }]]
  })
  // Assigning values by name would change the prototype if a name is `__proto__`.
  return { ...base, ...overrides, ...Object.fromEntries(groups) }
}

/** Returns null if the name is not set or is a group. */
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

/** Returns the size, in bytes, of the JSON that PostgreSQL writes, which has a space after each colon and comma. */
export function byteSize(attributes: Attributes): number {
  let spaces = countSpaces(Object.keys(attributes).length)
  for (const value of Object.values(attributes)) {
    if (typeof value !== 'string') spaces += countSpaces(Object.keys(value).length)
  }
  return Buffer.byteLength(JSON.stringify(attributes)) + spaces
}

const countSpaces = (members: number): number => Math.max(0, 2 * members - 1)

/** The device_live columns that contain a device's reserved values, keyed by sub-name. */
export const reservedColumns: ReadonlyMap<string, string> = new Map(
  categoryAndStatus.map((subName) => [subName, subName.replace(/[A-E]$/, (letter) => `_${letter.toLowerCase()}`)]),
)

export type ReservedValues = Record<string, string | null>

const columns = [...reservedColumns.values()]

/** Adds the reserved values, which are in the device's row in device_live, to its base attributes. */
export function joinReserved(attributes: Attributes, values: ReservedValues): Attributes {
  const reserved = columns.map((column) => values[column])
  const group = reservedGroup(reserved, 0)
  return group === undefined ? attributes : { ...attributes, [RESERVED_GROUP]: group }
}

/** Like `joinReserved`, but for attributes in a JSON string. */
export function joinReservedRaw(attributes: string, group: Record<string, string> | undefined): RawAttributes {
  if (group === undefined) return new RawJson(attributes)
  const others = attributes === '{}' ? '' : `${attributes.slice(1, -1)}, `
  return new RawJson(`{${others}"${RESERVED_GROUP}": ${JSON.stringify(group)}}`)
}

/**
 * Returns the group of the reserved values that are set, or undefined if none is set. In `values`, the reserved values
 * start at the index `from`, in the order of `reservedColumns`.
 */
export function reservedGroup(values: readonly unknown[], from: number): Record<string, string> | undefined {
  let group: Record<string, string> | undefined
  for (let index = 0; index < categoryAndStatus.length; index++) {
    const value = values[from + index] as string | null | undefined
    if (value == null) continue
    group ??= {}
    group[categoryAndStatus[index]!] = value
  }
  return group
}

/** Separates the reserved values from the other attributes. The keys of `reserved` are columns of device_live. */
export function splitReserved(attributes: Attributes): { attributes: Attributes; reserved: Record<string, string> } {
  const { [RESERVED_GROUP]: group, ...others } = attributes
  const reserved: Record<string, string> = {}
  for (const [subName, value] of Object.entries(group ?? {})) reserved[reservedColumns.get(subName)!] = value
  return { attributes: others, reserved }
}
