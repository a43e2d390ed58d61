/** A name of one target, with its value in the base and in the chosen context alone. */
export interface AttributeRow {
  /** As the API takes it: `site`, `net.ssid`. */
  name: string
  base: string | undefined
  /** What a reader in the context gets instead of the base. */
  override: string | undefined
}

/** Rows under one group name, or those of one level, where `group` is undefined. */
export interface AttributeGroup {
  group: string | undefined
  rows: AttributeRow[]
}

type Nested = Record<string, unknown>

/** The group of the names that are Category and Status; they have a form of their own. */
export const RESERVED_GROUP = '$svc'

const inOrder = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare

/** All names of a target. `alsoNames` stay in the list though they are gone: somebody is writing a value for them. */
export function attributeRows(base: Nested, overrides: Nested, alsoNames: Iterable<string> = []): AttributeRow[] {
  const [below, above] = [valuesOf(base), valuesOf(overrides)]
  const names = new Set([...below.keys(), ...above.keys(), ...alsoNames])
  return [...names].map((name) => ({ name, base: below.get(name), override: above.get(name) }))
}

/** In the order people count; values of one level first, then each group. */
export function grouped(rows: readonly AttributeRow[]): AttributeGroup[] {
  const groups = Map.groupBy(rows, ({ name }) => groupOf(name))
  return [...groups]
    .map(([group, members]) => ({ group, rows: members.toSorted((a, b) => inOrder(a.name, b.name)) }))
    .sort((a, b) => (a.group === undefined ? -1 : b.group === undefined ? 1 : inOrder(a.group, b.group)))
}

/** The first dot separates group and sub-name. */
export function groupOf(name: string): string | undefined {
  const dot = name.indexOf('.')
  return dot < 0 ? undefined : name.slice(0, dot)
}

export const subNameOf = (name: string): string => name.slice(name.indexOf('.') + 1)

export const isReserved = ({ name }: AttributeRow): boolean => groupOf(name) === RESERVED_GROUP

/** Values by their names as the API takes them. */
export function valuesOf(attributes: Nested): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') values.set(name, value)
    else if (typeof value === 'object' && value !== null)
      for (const [subName, text] of Object.entries(value))
        if (typeof text === 'string') values.set(`${name}.${subName}`, text)
  }
  return values
}
