import type { AttributeScope } from '../../restriction.ts'

/** Checks whether a pattern matches a name. A pattern such as `status.*` also matches the name `status`. */
export function covers(pattern: string, name: string): boolean {
  if (!pattern.endsWith('*')) return pattern === name
  const beginning = pattern.slice(0, -1)
  return name.startsWith(beginning) || `${name}.` === beginning
}

export const coversGroup = (pattern: string, group: string): boolean =>
  pattern.endsWith('*') && `${group}.`.startsWith(pattern.slice(0, -1))

/** Intersects the scopes. Returns null if there are no scopes, because all names are then allowed. */
export function commonScope(scopes: readonly AttributeScope[]): AttributeScope | null {
  const [first = null, ...others] = scopes
  if (first === null || others.length === 0) return first
  const write = scopes.map((scope) => scope.write).reduce(commonPatterns)
  const read = scopes.map((scope) => [...scope.read, ...scope.write]).reduce(commonPatterns)
  return { read: read.filter((pattern) => !write.some((each) => includesPattern(each, pattern))), write }
}

/** Intersects two lists of patterns. If two patterns match the same name, one of them always includes the other. */
const commonPatterns = (some: readonly string[], others: readonly string[]): string[] => {
  const within = (patterns: readonly string[], limits: readonly string[]): string[] =>
    patterns.filter((pattern) => limits.some((limit) => includesPattern(limit, pattern)))
  return [...new Set([...within(some, others), ...within(others, some)])]
}

/** Checks whether a pattern matches every name that another pattern matches. */
export const includesPattern = (pattern: string, other: string): boolean =>
  other.endsWith('*') ? pattern.endsWith('*') && other.startsWith(pattern.slice(0, -1)) : covers(pattern, other)
