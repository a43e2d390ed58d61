import type { Attributes } from '@muster/client'

/** Returns an attribute's value, or null if there is none. The part of `name` before the first dot is the group. */
export function findAttribute(attributes: Attributes, name: string): string | null {
  const dot = name.indexOf('.')
  if (dot === -1) {
    const value = attributes[name]
    return typeof value === 'string' ? value : null
  }
  const group = attributes[name.slice(0, dot)]
  return (typeof group === 'object' ? group[name.slice(dot + 1)] : undefined) ?? null
}

export function flatten(attributes: Attributes): [name: string, value: string][] {
  const pairs = Object.entries(attributes).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string'
      ? [[name, value]]
      : Object.entries(value).map(([sub, inner]) => [`${name}.${sub}`, inner]),
  )
  return pairs.sort(([one], [other]) => (one < other ? -1 : 1))
}
