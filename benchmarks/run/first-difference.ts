/** Where two answers part, in words; undefined when they are the same. Members of objects may be in any order. */
export function firstDifference(one: unknown, other: unknown, path = ''): string | undefined {
  if (!isObject(one) || !isObject(other)) {
    return Object.is(one, other) ? undefined : `${path || 'it'} is ${write(one)}, not ${write(other)}`
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const difference = firstDifference(one[name], other[name], path === '' ? name : `${path}.${name}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const write = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? 'missing'
