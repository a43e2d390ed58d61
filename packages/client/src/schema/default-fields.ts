/** A schema field: its GraphQL type and the types of its arguments, if any. */
export type FieldEntry = string | readonly [type: string, argumentTypes: Readonly<Record<string, string>>]

export type SchemaTable = Readonly<Record<string, Readonly<Record<string, FieldEntry>>>>

export const typeOf = (entry: FieldEntry): string => (typeof entry === 'string' ? entry : entry[0])

export const argumentsOf = (entry: FieldEntry): Readonly<Record<string, string>> =>
  typeof entry === 'string' ? {} : entry[1]

/** Returns the named type, such as `Device` for `[Device!]!`. */
export const nameOf = (type: string): string => type.replace(/[[\]!]/g, '')

/**
 * Returns the names of the fields of a type that the client selects by default. Omits the fields in `onRequest`. The
 * client selects these fields by default:
 *
 * - plain values without required arguments
 * - objects without arguments, unless their fields lead back to the type
 * - lists without arguments whose objects contain only plain values
 */
export function plainFields(table: SchemaTable, typeName: string): string[] {
  const fields = Object.entries(table[typeName] ?? {})
  return fields
    .filter(([name, entry]) => !onRequest.has(`${typeName}.${name}`) && isPlain(table, typeName, entry))
    .map(([name]) => name)
}

/** View.usedBy needs VIEW_MANAGE, unlike the other fields of View. */
const onRequest: ReadonlySet<string> = new Set(['View.usedBy'])

function isPlain(table: SchemaTable, parent: string, entry: FieldEntry): boolean {
  const type = typeOf(entry)
  const target = nameOf(type)
  const given = Object.values(argumentsOf(entry))
  if (!(target in table)) return !given.some((argument) => argument.endsWith('!'))
  if (given.length > 0) return false
  return type.startsWith('[') ? hasOnlyValues(table, target) : !leadsTo(table, target, parent)
}

const hasOnlyValues = (table: SchemaTable, name: string): boolean =>
  Object.values(table[name] ?? {}).every((entry) => !(nameOf(typeOf(entry)) in table))

function leadsTo(table: SchemaTable, from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return Object.values(table[from] ?? {}).some((entry) => leadsTo(table, nameOf(typeOf(entry)), to, seen))
}
