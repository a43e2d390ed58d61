import type { FilterKind } from '../names/fields.ts'
import type { Span } from '../positions.ts'
import { type Edit, type Fault, type FilterProblem, toProblem } from '../problems.ts'
import type { FilterUsage } from './forbidden-terms.ts'
import type { FilterTerm } from './resolved.ts'

export interface KnownNames {
  has(name: string): boolean
  /**
   * Returns the names that suggestions can contain: those of `owner` or, without it, all. The resolver also accepts the
   * groups of all these names, such as `net` if `net.ssid` is one of the names.
   */
  keys(owner?: 'device' | 'service'): Iterable<string>
}

export interface ResolveOptions {
  /** Kind of object that the filter selects. Default: `device`. */
  readonly kind?: FilterKind
  /** Where the filter is used. Default: `list`. */
  readonly usage?: FilterUsage
  /**
   * The attribute names in use. The resolver rejects other names, except reserved names. If a name that is not in use
   * has the prefix `attributes.`, the resolver only warns. Without this option, the resolver accepts every valid
   * attribute name.
   */
  readonly knownAttributes?: KnownNames
  /**
   * Returns whether known values of an attribute look like versions with two dots, such as 2.10.1. Default: false for
   * all attributes.
   */
  readonly hasVersions?: (name: string) => boolean
  /**
   * Valid types of events. After `=` and `!=`, the resolver rejects all other types, but accepts wildcards. Without
   * this option, the resolver accepts every type.
   */
  readonly eventTypes?: readonly string[]
  /** Whether the request has a context, which determines whether some conditions are indexed. Default: false. */
  readonly hasContext?: boolean | undefined
  /** Returns why the filter cannot use a view, or undefined if it can. Default: undefined for all views. */
  readonly wrongView?: (id: string) => string | undefined
  /** Returns whether a view's filter is indexed. Default: false for all views. */
  readonly isIndexedView?: (id: string) => boolean
}

/** What the names in a condition refer to, and whether the condition is nested or negated. */
export interface Scope {
  readonly kind: FilterKind
  /** Whether the condition is inside `services:(…)` or its name has the prefix `services.`. */
  readonly isInServices: boolean
  /** Whether NOT or != negates the condition. No index can then find the matches. */
  readonly isNegated: boolean
}

export interface Resolving {
  readonly text: string
  readonly options: ResolveOptions & { readonly kind: FilterKind; readonly usage: FilterUsage }
  readonly problems: FilterProblem[]
  readonly warnings: FilterProblem[]
  readonly terms: FilterTerm[]
  /**
   * The known name closest to an unknown name, or undefined if none is close, keyed by the kind of object and the
   * unknown name. The number of searches is limited, because searches are slow.
   */
  readonly searched: Map<string, string | undefined>
  readonly unknown: Set<string>
  /** The groups of the known names. Computed on first use. */
  knownGroups?: ReadonlySet<string>
  /** The known names that contain spaces, longest first. Computed on first use. */
  namesWithSpaces?: readonly string[]
}

/** Reports a semantic error. Returns undefined, which marks a part that cannot be resolved. */
export function reject(resolving: Resolving, found: Fault): undefined {
  resolving.problems.push(toProblem(resolving.text, 'semantic', found))
  return undefined
}

/** `edit` fixes the error and can replace more than `span`. Null means that no fix is known. */
export function rejectWith(resolving: Resolving, span: Span, message: string, edit: Edit | null = null): undefined {
  return reject(resolving, { from: span.from, to: span.to, message, edits: edit === null ? null : [edit] })
}

export function warn(resolving: Resolving, span: Span, message: string, edit: Edit | null = null): void {
  const found = { from: span.from, to: span.to, message, edits: edit === null ? null : [edit] }
  resolving.warnings.push(toProblem(resolving.text, 'warning', found))
}

export const replace = ({ from, to }: Span, text: string): Edit => ({ from, to, text })

export const written = (resolving: Resolving, { from, to }: Span): string => resolving.text.slice(from, to)
