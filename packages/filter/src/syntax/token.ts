import type { Span } from '../positions.ts'
import type { Fault } from '../problems.ts'
import type { Parts } from './quote.ts'

export const comparators = ['=', '!=', '<', '<=', '>', '>=', ':'] as const
export type Comparator = (typeof comparators)[number]

export type Parenthesis = 'group' | 'list' | 'nested' | 'arguments'

interface TokenBase extends Span {
  /** Whether the token is the first token or follows whitespace. Always true for the token `end`. */
  readonly isSpaced: boolean
  /** A lexical error in the token. The parser can still use the other properties. */
  readonly fault?: Fault
}

export interface ValueToken extends TokenBase {
  readonly kind: 'text' | 'string'
  readonly parts: Parts
  /** Whether the lexer used the rules for the right side of a comparator. */
  readonly isRight: boolean
}

export interface ComparatorToken extends TokenBase {
  readonly kind: 'comparator'
  readonly comparator: Comparator
}

export interface OpenToken extends TokenBase {
  readonly kind: 'open'
  readonly opens: Parenthesis
}

export interface CloseToken extends TokenBase {
  readonly kind: 'close'
  /** The kind of the parentheses that the token closes. Undefined if no parenthesis is open. */
  readonly closes: Parenthesis | undefined
}

export interface OtherToken extends TokenBase {
  /** A token of the kind `invalid` is one character that is not allowed at its position. The token has a fault. */
  readonly kind: 'and' | 'or' | 'not' | 'minus' | 'dot' | 'comma' | 'invalid' | 'end'
}

export type Token = ValueToken | ComparatorToken | OpenToken | CloseToken | OtherToken

export const isValueToken = (token: Token | undefined): token is ValueToken =>
  token?.kind === 'text' || token?.kind === 'string'
