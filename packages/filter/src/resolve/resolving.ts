import type { FilterKind } from '../names/fields.ts'
import type { Span } from '../positions.ts'
import { type Edit, type Fault, type FilterProblem, toProblem } from '../problems.ts'
import type { FilterTerm } from './resolved.ts'
import type { FilterUsage } from './usage.ts'

/** The attribute names that an account ever had, such as `site` and `net.ssid`. A Set or a Map is one. */
export interface KnownNames {
  /** Whether the account ever had this attribute or group. */
  has(name: string): boolean
  /** The names that suggestions may contain, such as those that the caller may read. Their groups are known too. */
  keys(): Iterable<string>
}

export interface ResolveOptions {
  /** What the filter selects. Default: devices. */
  readonly kind?: FilterKind
  /** Where the filter is used. Default: a list. */
  readonly usage?: FilterUsage
  /**
   * Names of attributes. Others are rejected unless they are written with `attributes.`, with the closest of these as the
   * suggestion. If omitted, every name is accepted.
   */
  readonly knownAttributes?: KnownNames
  /** Whether known values of an attribute look like versions: have two dots. Default: no. */
  readonly hasVersions?: (name: string) => boolean
  /** The types that events can have. Others are rejected. If omitted, every type is accepted. */
  readonly eventTypes?: readonly string[]
  /** Whether the filter of a view is indexed. Default: no. */
  readonly isIndexedView?: (id: string) => boolean
}

/** What the object is that names refer to, and what may be written before a name. */
export interface Scope {
  readonly kind: FilterKind
  /** Whether this is inside `services:(…)` or after `services.`. */
  readonly isInServices: boolean
  /** Whether a NOT or != is around it, so that no index is used. */
  readonly isNegated: boolean
}

/** What the resolver knows while it reads a filter. */
export interface Resolving {
  readonly text: string
  readonly options: ResolveOptions & { readonly kind: FilterKind; readonly usage: FilterUsage }
  readonly problems: FilterProblem[]
  readonly warnings: FilterProblem[]
  readonly terms: FilterTerm[]
  /** Unknown names for which the closest known name was searched. Limits the work for filters with many of them. */
  readonly searched: Map<string, string | undefined>
  /** Names of attributes that are not known, with and without `attributes.` before them in the filter. */
  readonly unknown: Set<string>
  /** Known names that are only groups, once they are needed. */
  knownGroups?: ReadonlySet<string>
}

/** Reports a semantic error. Returns undefined, which marks a part that cannot be resolved. */
export function reject(resolving: Resolving, found: Fault): undefined {
  resolving.problems.push(toProblem(resolving.text, 'semantic', found))
  return undefined
}

/** Reports a semantic error that is fixed by replacing a part, which can be larger than the faulty part. */
export function rejectWith(resolving: Resolving, span: Span, message: string, edit: Edit | null): undefined {
  return reject(resolving, { from: span.from, to: span.to, message, edits: edit === null ? null : [edit] })
}

export function warn(resolving: Resolving, span: Span, message: string, edit: Edit | null): void {
  const found = { from: span.from, to: span.to, message, edits: edit === null ? null : [edit] }
  resolving.warnings.push(toProblem(resolving.text, 'warning', found))
}

export const replace = ({ from, to }: Span, text: string): Edit => ({ from, to, text })

/** Returns the string of a part of the filter. */
export const written = (resolving: Resolving, { from, to }: Span): string => resolving.text.slice(from, to)
