/** A field as the schema has it: its type as GraphQL writes it, and those of its arguments where it takes any. */
export type FieldEntry = string | readonly [type: string, argumentTypes: Readonly<Record<string, string>>]

/** Object types by name, each with its fields. */
export type SchemaTable = Readonly<Record<string, Readonly<Record<string, FieldEntry>>>>

export const typeOf = (entry: FieldEntry): string => (typeof entry === 'string' ? entry : entry[0])

export const argumentsOf = (entry: FieldEntry): Readonly<Record<string, string>> =>
  typeof entry === 'string' ? {} : entry[1]

/** `Device` of `[Device!]!`. */
export const nameOf = (type: string): string => type.replace(/[[\]!]/g, '')

/**
 * The fields of a type that are asked for where nothing is chosen: all plain values; objects that take no arguments and do
 * not lead back to the type; and lists of objects that hold nothing but plain values.
 */
export function plainFields(table: SchemaTable, typeName: string): string[] {
  const fields = Object.entries(table[typeName] ?? {})
  return fields.filter(([, entry]) => isPlain(table, typeName, entry)).map(([name]) => name)
}

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
