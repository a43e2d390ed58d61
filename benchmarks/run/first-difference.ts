/**
 * Describes the first difference between two JSON values. Returns undefined if they are equal. Ignores the order of
 * members.
 */
export function firstDifference(one: unknown, other: unknown, path = ''): string | undefined {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return Object.is(one, other) ? undefined : `${path || 'the response'} is ${write(one)}, not ${write(other)}`
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const difference = firstDifference(one[name], other[name], path === '' ? name : `${path}.${name}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const write = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? 'missing'
