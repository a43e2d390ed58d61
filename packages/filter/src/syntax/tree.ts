import type { Span } from '../positions.ts'
import type { Parts } from './quote.ts'
import type { Comparator } from './token.ts'

export type Expression = Group | Not | Restriction

export interface Group extends Span {
  readonly type: 'and' | 'or'
  readonly operands: readonly Expression[]
}

/** The negation of an expression, written as NOT or a minus sign. */
export interface Not extends Span {
  readonly type: 'not'
  readonly operand: Expression
}

/** A condition. The API calls it a term. */
export type Restriction = Word | Comparison | Call

/** A word or string without a comparator. */
export interface Word extends Span {
  readonly type: 'word'
  readonly value: Value
}

export interface Comparison extends Span {
  readonly type: 'comparison'
  readonly subject: Member | Call
  readonly comparator: Comparator
  readonly argument: Value | ValueList | Nested
}

/** A name with its levels, which are separated by dots. */
export interface Member extends Span {
  readonly type: 'member'
  readonly levels: readonly Value[]
}

/** A function with its arguments. As a restriction, it has no comparator. */
export interface Call extends Span {
  readonly type: 'call'
  readonly name: string
  readonly arguments: readonly Value[]
}

export interface Value extends Span {
  readonly type: 'value'
  readonly parts: Parts
  readonly isQuoted: boolean
}

/** In a list with a single value, `join` is `or`. */
export interface ValueList extends Span {
  readonly type: 'list'
  readonly join: 'and' | 'or'
  readonly values: readonly Value[]
}

/** Conditions in parentheses after `services:` or `device.services:`. */
export interface Nested extends Span {
  readonly type: 'nested'
  readonly expression: Expression
}
