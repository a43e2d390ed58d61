export interface AttributeRow {
  /** The name of the attribute, such as `site` or `net.ssid`. */
  name: string
  base: string | undefined
  /** The value that replaces the base value in the selected context, if any. */
  override: string | undefined
}

/** The group is `undefined` for names without a group. */
interface AttributeGroup {
  group: string | undefined
  rows: AttributeRow[]
}

type Nested = Record<string, unknown>

/** The group of the Category and Status attributes, which a separate form shows. */
export const RESERVED_GROUP = '$svc'

const compareNames = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare

/** Returns a row for each attribute with a value, and for each name in `alsoNames`, which the user is editing. */
export function attributeRows(base: Nested, overrides: Nested, alsoNames: Iterable<string> = []): AttributeRow[] {
  const [baseValues, overrideValues] = [valuesOf(base), valuesOf(overrides)]
  const names = new Set([...baseValues.keys(), ...overrideValues.keys(), ...alsoNames])
  return [...names].map((name) => ({ name, base: baseValues.get(name), override: overrideValues.get(name) }))
}

export function groupRows(rows: readonly AttributeRow[]): AttributeGroup[] {
  return [...Map.groupBy(rows, ({ name }) => groupOf(name))]
    .map(([group, members]) => ({ group, rows: members.toSorted((a, b) => compareNames(a.name, b.name)) }))
    .sort((a, b) => (a.group === undefined ? -1 : b.group === undefined ? 1 : compareNames(a.group, b.group)))
}

export function groupOf(name: string): string | undefined {
  const dot = name.indexOf('.')
  return dot < 0 ? undefined : name.slice(0, dot)
}

export const subNameOf = (name: string): string => name.slice(name.indexOf('.') + 1)

export const isReserved = ({ name }: AttributeRow): boolean => groupOf(name) === RESERVED_GROUP

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
