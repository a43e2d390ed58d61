import {
  type CheckedFilter,
  canonicalize,
  checkFilter,
  type FilterKind,
  type FilterProblem,
  type FilterUsage,
  filterLimits,
  isIndexed,
  type ParseOptions,
  type ResolvedFilter,
  type ResolveOptions,
} from '@muster/filter'
import { ApiError, badInput } from '../../errors.ts'
import { assertText } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { eventTypes } from '../events/event-types.ts'

/** The filters that an argument accepts, and the argument's name for error messages. */
export interface FilterPlace {
  readonly kind: FilterKind
  readonly usage?: FilterUsage
  readonly path: string
  readonly hasContext?: boolean
  /**
   * Whether the server created the filter from a name. Error messages then contain no position in the filter, because
   * the client did not write the filter.
   */
  readonly isName?: true
}

/** A filter without errors, except that the account may never have used its attribute names. */
export interface ReadFilter {
  readonly text: string
  readonly canonical: string
  readonly place: FilterPlace
  readonly filter: ResolvedFilter
  readonly isIndexed: boolean
  /** The terms that no index supports, as the client wrote them. */
  readonly unindexed: readonly string[]
  /** The attribute names in the filter. `assertKnownNames` checks whether the account has used them. */
  readonly names: ReadonlySet<string>
  /** The names that are compared with a fraction, which the client may have meant as a version. */
  readonly fractions: ReadonlySet<string>
}

/**
 * Returns undefined for an empty filter, which matches everything. Throws the error from `filterError` for an invalid
 * filter.
 */
export function readFilter(text: string, place: FilterPlace): ReadFilter | undefined {
  const names = new Set<string>()
  const fractions = new Set<string>()
  const checked = check(text, place, {
    knownAttributes: {
      has(name) {
        names.add(name)
        return true
      },
      keys: () => [],
    },
    hasVersions(name) {
      fractions.add(name)
      return false
    },
  })
  if (!checked.isValid) throw filterError(place, checked.problems)
  const { filter, isIndexed, terms } = checked
  if (filter === null) return undefined
  const unindexed = terms.filter((term) => !term.isIndexed).map(({ from, to }) => text.slice(from, to))
  return { text, canonical: checked.canonical!, place, filter, isIndexed, unindexed, names, fractions }
}

/**
 * Throws LIMIT_EXCEEDED if the canonical form of a filter to store is too long. Clients can therefore send each stored
 * filter again.
 */
export const assertCanonicalLength = (canonical: string, path: string): void =>
  assertText(canonical, `${path}: the canonical form, which the server stores,`, limits.filterLength)

/** Wraps a filter whose names have already been checked, so they are not checked again. */
export function readFilterOf(filter: ResolvedFilter, kind: FilterKind, { hasContext = false } = {}): ReadFilter {
  const none: ReadonlySet<string> = new Set()
  const place = { kind, path: 'where' }
  const text = canonicalize(filter, kind)
  const checked = { isIndexed: isIndexed(filter, { kind, hasContext }), unindexed: [], names: none, fractions: none }
  return { text, canonical: text, place, filter, ...checked }
}

/** Returns the attribute names in a filter, even if the filter is invalid. */
export function namesIn(text: string, place: FilterPlace): Set<string> {
  const names = new Set<string>()
  const has = (name: string): boolean => names.add(name).size > 0
  check(text, place, { knownAttributes: { has, keys: () => [] } })
  return names
}

export const check = (
  text: string,
  { kind, usage, hasContext }: FilterPlace,
  options: Pick<ResolveOptions, 'knownAttributes' | 'hasVersions' | 'wrongView'> & ParseOptions,
): CheckedFilter => checkFilter(text, { kind, ...(usage && { usage }), hasContext, eventTypes, ...options })

/**
 * Returns an error whose message describes the first exceeded limit or, if no limit is exceeded, the first problem.
 * `extensions.filter` contains all problems, except for a filter that was created from a name.
 */
export function filterError({ path, isName }: FilterPlace, problems: readonly FilterProblem[]): ApiError {
  const [first] = problems
  const { message, line, column, suggestion, limit } = problems.find(({ kind }) => kind === 'limit') ?? first!
  const place = line === 1 ? `column ${column}` : `line ${line}, column ${column}`
  const hint = suggestion === null ? '' : `${/[.?!]$/.test(message) ? '' : '.'} Suggestion: ${suggestion}`
  if (isName) return badInput(`${path}: ${message}`)
  const filter = problems.map(toFilterProblem)
  return new ApiError(
    limit === undefined ? 'BAD_USER_INPUT' : 'LIMIT_EXCEEDED',
    `${path}, ${place}: ${message}${hint}`,
    limit === undefined ? { filter } : { filter, limit: filterLimits[limit] },
  )
}

export const toFilterProblem = ({ message, line, column, length, suggestion }: FilterProblem) => ({
  message,
  line,
  column,
  length,
  suggestion,
})

export function unindexedTerms({ unindexed }: ReadFilter): string {
  const terms = unindexed.slice(0, 5).map((term) => JSON.stringify(term.slice(0, 100)))
  return (
    `filter: no index supports ${terms.length > 0 ? terms.join(', ') : 'the conditions of the filter'}; add a condition that an index supports, such as site = oslo, ` +
    `or store the value in one of the device attributes $svc.categoryA to $svc.categoryE and $svc.statusA to $svc.statusE, whose base values have indexes for comparisons`
  )
}
