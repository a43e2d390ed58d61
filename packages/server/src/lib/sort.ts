import { badInput } from '../errors.ts'

export type Direction = 'asc' | 'desc'

export type Sort<Field extends string> = { direction: Direction } & ({ field: Field } | { attribute: string })

const ATTRIBUTE_PREFIX = 'attributes.'

/**
 * Reads a `sort` argument or a key of `sortBy`: the name of a field or an attribute, with an optional direction. The
 * direction is either a sign before the name, or a space and a word after the name. The signs are `-` (descending) and
 * `+` (ascending). The words are `asc` and `desc` (case-insensitive). The default is ascending. If the direction is
 * after the name, a leading sign is part of the name. If a field and an attribute have the same name, the name means
 * the field, and the prefix `attributes.` selects the attribute. A name that contains a space must have the direction
 * after it, because its last word could otherwise be read as a direction. `path` is the argument's name for error
 * messages.
 */
export function parseSort<Field extends string>(text: string, fields: readonly Field[], path = 'sort'): Sort<Field> {
  const { name, direction } = splitDirection(text, fields, path)
  const field = fields.find((each) => each === name)
  if (field !== undefined) return { direction, field }
  if (fields.some((each) => each === name.trim())) throw wrongSort(text, fields, path)
  const attribute = name.startsWith(ATTRIBUTE_PREFIX) ? name.slice(ATTRIBUTE_PREFIX.length) : name
  if (attribute === '') throw wrongSort(text, fields, path)
  return { direction, attribute }
}

const directionOfSign: Readonly<Record<string, Direction>> = { '-': 'desc', '+': 'asc' }

function splitDirection(text: string, fields: readonly string[], path: string): { name: string; direction: Direction } {
  // The pattern has no flag u, because with the flags u and i, `s` would also match the long s, U+017F.
  const end = /^(.+) (asc|desc)$/is.exec(text)
  if (end !== null) return { name: end[1]!, direction: end[2]!.toLowerCase() as Direction }
  if (text.includes(' ')) throw wrongSort(text, fields, path)
  const direction = directionOfSign[text.charAt(0)]
  return direction === undefined ? { name: text, direction: 'asc' } : { name: text.slice(1), direction }
}

const wrongSort = (text: string, fields: readonly string[], path: string): Error =>
  badInput(
    `${path} must be a field (${fields.join(', ')}) or an attribute name; for descending order, write -${fields[0]} or ` +
      `${fields[0]} desc; if the name contains spaces, always add asc or desc; found ${JSON.stringify(text.slice(0, 300))}`,
  )

const MAX_KEYS = 4

/** Reads a `sortBy` argument of 1 to `MAX_KEYS` keys, and rejects repeated names. `read` reads one key. */
export function readSortKeys<Key extends { text: string }>(
  sortBy: readonly string[],
  read: (text: string, path: string) => Key,
): Key[] {
  if (sortBy.length === 0 || sortBy.length > MAX_KEYS)
    throw badInput(`sortBy must contain 1 to ${MAX_KEYS} sort keys, found ${sortBy.length}`)
  const keys = sortBy.map((text, index) => read(text, `sortBy[${index}]`))
  const names = keys.map(({ text }) => text.replace(/ (asc|desc)( .*)?$/s, ''))
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw badInput(`sortBy must not repeat a name, found ${JSON.stringify(repeated)} twice`)
  return keys
}

/** Returns the sort as a canonical string, which is the same for all equivalent arguments. */
export const sortText = (sort: Sort<string>): string =>
  'field' in sort ? `${sort.field} ${sort.direction}` : `${ATTRIBUTE_PREFIX}${sort.attribute} ${sort.direction}`
