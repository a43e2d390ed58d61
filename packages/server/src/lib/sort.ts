import { badInput } from '../errors.ts'

export type Direction = 'asc' | 'desc'

/** What a list is to be sorted by: one of its fields, or the attribute with this name. */
export type Sort<Field extends string> = { direction: Direction } & ({ field: Field } | { attribute: string })

/** Sorting by an attribute that has the name of a field. */
const ATTRIBUTE_PREFIX = 'attributes.'

/**
 * Reads a sort argument: a field or the name of an attribute, and its direction. The direction is a sign before the name
 * (`-` descending, `+` ascending), or a space and `asc` or `desc` in either case behind it; ascending if omitted. If it is
 * behind the name, a sign is part of the name. A field wins over an attribute of the same name; `attributes.` before a name
 * makes it the attribute. A name with a space in it needs its direction behind it, or its last word would be read as one.
 */
export function parseSort<Field extends string>(text: string, fields: readonly Field[]): Sort<Field> {
  const { name, direction } = splitDirection(text, fields)
  const field = fields.find((each) => each === name)
  if (field !== undefined) return { direction, field }
  if (fields.some((each) => each === name.trim())) throw wrongSort(text, fields)
  const attribute = name.startsWith(ATTRIBUTE_PREFIX) ? name.slice(ATTRIBUTE_PREFIX.length) : name
  if (attribute === '') throw wrongSort(text, fields)
  return { direction, attribute }
}

const directionOfSign: Readonly<Record<string, Direction>> = { '-': 'desc', '+': 'asc' }

function splitDirection(text: string, fields: readonly string[]): { name: string; direction: Direction } {
  // Not by code points (u): the long s, U+017F, would then be one of desc.
  const end = /^(.+) (asc|desc)$/is.exec(text)
  if (end !== null) return { name: end[1]!, direction: end[2]!.toLowerCase() as Direction }
  if (text.includes(' ')) throw wrongSort(text, fields)
  const direction = directionOfSign[text.charAt(0)]
  return direction === undefined ? { name: text, direction: 'asc' } : { name: text.slice(1), direction }
}

const wrongSort = (text: string, fields: readonly string[]): Error =>
  badInput(
    `sort must be a field (${fields.join(', ')}) or an attribute name, with - before it for descending, or with a space ` +
      `and asc or desc behind it; found ${JSON.stringify(text.slice(0, 300))}`,
  )

/** The sort as one text, the same for every way to write it. */
export const sortText = (sort: Sort<string>): string =>
  'field' in sort ? `${sort.field} ${sort.direction}` : `${ATTRIBUTE_PREFIX}${sort.attribute} ${sort.direction}`
