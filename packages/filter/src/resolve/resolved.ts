import type { AttributeName } from '../names/attribute-name.ts'
import type { DeviceField, EventField, FieldType, FilterKind, ServiceField } from '../names/fields.ts'
import type { Span } from '../positions.ts'
import type { Parts } from '../syntax/quote.ts'

/**
 * A comparison with a missing value is false. `!=` becomes `not` around `=`. An `and` is never an operand of an `and`,
 * and an `or` is never an operand of an `or`.
 */
export type ResolvedFilter = ResolvedGroup | ResolvedNot | SomeService | Condition

export interface ResolvedGroup {
  readonly type: 'and' | 'or'
  readonly operands: readonly ResolvedFilter[]
}

export interface ResolvedNot {
  readonly type: 'not'
  readonly operand: ResolvedFilter
}

/**
 * At least one service of the device, except its bulk service, meets the condition; null means any service. Inside the
 * condition, `of: 'service'` means that service, even in a service filter.
 */
export interface SomeService {
  readonly type: 'services'
  readonly condition: ResolvedFilter | null
}

export type Condition = Compare | CompareList | HasValue | WordSearch | AnyAttribute | IsStale | InView

export type OrderOperator = '<' | '<=' | '>' | '>='

/**
 * A comparison with one literal.
 *
 * - `=` is case-sensitive, except for email addresses. The value equals the literal, matches the pattern as a whole, or
 *   is a time on the given day.
 * - `:` is case-insensitive. The value contains the string, or the whole value matches the pattern.
 * - An order operator compares according to the literal's type. Strings are compared in natural order.
 *
 * On a field with several values, the comparison is true if it is true for at least one of them.
 */
export interface Compare {
  readonly type: 'compare'
  readonly subject: Subject
  readonly operator: '=' | ':' | OrderOperator
  readonly literal: Literal
}

/** A comparison with any of several literals (`match: 'any'`) or, for `:` only, with all of them (`match: 'all'`). */
export interface CompareList {
  readonly type: 'list'
  readonly subject: Subject
  readonly operator: '=' | ':'
  readonly match: 'any' | 'all'
  readonly literals: readonly Literal[]
}

/** The field or attribute has a value. For an attribute whose name is a group, any value in the group is sufficient. */
export interface HasValue {
  readonly type: 'present'
  readonly subject: FieldSubject | AttributeSubject
}

/**
 * A bare word, which searches names, hardware IDs, and hosts. A string matches a field that contains it, or the ID of a
 * device or service that begins with it. A pattern must match a whole field. The search is case-insensitive.
 */
export interface WordSearch {
  readonly type: 'word'
  readonly of: FilterKind
  readonly literal: StringLiteral | PatternLiteral
}

/**
 * The restrictions of a caller. The caller can read a name if every element lists the name in `read` or `write`. Both
 * lists contain names, and prefixes followed by `*`.
 */
export type ReadableNames = readonly { readonly read: readonly string[]; readonly write: readonly string[] }[]

/** The base value of at least one attribute contains the string or matches the pattern, ignoring case. */
export interface AnyAttribute {
  readonly type: 'any'
  readonly of: 'device' | 'service'
  readonly literal: StringLiteral | PatternLiteral
  /** The names that the caller can read. Default: all names. The resolver never sets this field. */
  readonly readable?: ReadableNames
}

/** The effective value is stale. The resolver never sets `read`. */
export interface IsStale {
  readonly type: 'stale'
  readonly of: 'device' | 'service'
  readonly name: AttributeName
  readonly read?: AttributeRead
}

/** The object matches a view's filter, in that view's context. */
export interface InView {
  readonly type: 'view'
  readonly id: string
}

export type Subject = FieldSubject | AttributeSubject | TimeOfAttribute

export type FieldSubject = {
  readonly type: 'field'
  readonly valueType: FieldType
  /** The attributes that the fields `contexts` and `changed` consider. Default: all. Never set by the resolver. */
  readonly readable?: ReadableNames
} & (
  | { readonly of: 'device'; readonly name: DeviceField }
  | { readonly of: 'service'; readonly name: ServiceField }
  | { readonly of: 'event'; readonly name: EventField }
)

export interface AttributeSubject {
  readonly type: 'attribute'
  readonly of: 'device' | 'service'
  readonly name: AttributeName
  readonly read: AttributeRead
}

/**
 * Which value of an attribute to read:
 *
 * - `effective`: the effective value in the request's context
 * - `base`: the base value
 * - `in`: the effective value in `context`
 * - `override`: only the override in `context`
 */
export type AttributeRead =
  | { readonly type: 'effective' }
  | { readonly type: 'base' }
  | { readonly type: 'in'; readonly context: string }
  | { readonly type: 'override'; readonly context: string }

/**
 * How long the effective value has been unchanged (a duration), or when it last changed (a time). The resolver never
 * sets `read`.
 */
export interface TimeOfAttribute {
  readonly type: 'age' | 'changed'
  readonly of: 'device' | 'service'
  readonly name: AttributeName
  readonly read?: AttributeRead
}

export type Literal =
  | StringLiteral
  | PatternLiteral
  /** A number as digits with an optional minus sign and fraction. Comparisons are exact. */
  | { readonly type: 'number'; readonly decimal: string }
  /** A time in milliseconds since 1970. */
  | { readonly type: 'time'; readonly milliseconds: number }
  /** A day in UTC, given by its first millisecond. Occurs only with `=`. */
  | { readonly type: 'day'; readonly milliseconds: number }
  /** A time in seconds relative to the reference time of the filter. Negative values are before that time. */
  | { readonly type: 'relative'; readonly seconds: number }
  /** A duration in seconds. Occurs only with `age()`. */
  | { readonly type: 'duration'; readonly seconds: number }
  | { readonly type: 'boolean'; readonly value: boolean }

export interface StringLiteral {
  readonly type: 'string'
  readonly value: string
}

/** The strings before, between, and after the wildcards: `os*` is `['os', '']`. Contains at least two strings. */
export interface PatternLiteral {
  readonly type: 'pattern'
  readonly parts: Parts
}

/** A condition of a filter, as `checkFilter` reports it, including conditions inside `services:(…)`. */
export interface FilterTerm extends Span {
  /** Empty for a bare word. */
  readonly name: string
  readonly comparedAs: 'string' | 'number' | 'time' | 'duration' | 'none'
  readonly isIndexed: boolean
}
