import { type FilterLimit, filterLimits, MAX_SYNTAX_ERRORS } from '../limits.ts'
import type { Span } from '../positions.ts'
import { type Fault, type FilterProblem, toProblem } from '../problems.ts'
import type { Token, ValueToken } from './token.ts'

export const broken = Symbol('broken')
export type Broken = typeof broken

export interface Parsing {
  readonly text: string
  readonly tokens: readonly Token[]
  at: number
  /** Number of open parentheses around the next token, not counting those of lists and functions. */
  depth: number
  /** The number of conditions so far, in fifths, because a value in a list counts as a fifth of a condition. */
  fifths: number
  patterns: number
  readonly syntaxErrors: FilterProblem[]
  /** The exceeded limits, each with its problem. */
  readonly exceeded: Map<FilterLimit, FilterProblem>
}

export const peek = (parsing: Parsing): Token => parsing.tokens[parsing.at]!

/** Reads a token. At the end of the filter, always returns the token `end`. */
export function next(parsing: Parsing): Token {
  const token = peek(parsing)
  if (token.kind !== 'end') parsing.at++
  return token
}

export const lastRead = (parsing: Parsing): Token => parsing.tokens[Math.max(parsing.at - 1, 0)]!

export function report(parsing: Parsing, found: Fault): Broken {
  if (parsing.syntaxErrors.length < MAX_SYNTAX_ERRORS) {
    parsing.syntaxErrors.push(toProblem(parsing.text, 'syntax', found))
  }
  return broken
}

export function unclosed({ text }: Parsing, open: Span): Fault {
  const edits = [{ from: text.length, to: text.length, text: ')' }]
  return { from: open.from, to: open.to, message: 'This parenthesis is not closed.', edits }
}

export function exceed(parsing: Parsing, limit: FilterLimit, span: Span, message: string): void {
  if (parsing.exceeded.has(limit)) return
  const found = { from: span.from, to: span.to, message, edits: null }
  parsing.exceeded.set(limit, toProblem(parsing.text, 'limit', found, limit))
}

/** `values` is the number of values in the condition's list, if it has one. */
export function countTerm(parsing: Parsing, span: Span, values = 0): void {
  const { filterTerms } = filterLimits
  parsing.fifths += Math.max(5, values)
  if (parsing.fifths <= filterTerms * 5) return
  const message = `A filter may have at most ${filterTerms} conditions. Each value in a list counts as a fifth of a condition, but a list counts as at least one condition.`
  exceed(parsing, 'filterTerms', span, message)
}

/** Counts a literal that contains wildcards and other characters. Reports the limits that it exceeds. */
export function countPattern(parsing: Parsing, { parts, from, to }: Pick<ValueToken, 'parts' | 'from' | 'to'>): void {
  if (parts.length === 1 || parts.every((part) => part === '')) return
  const { filterPatterns, patternWildcards } = filterLimits
  if (parts.length - 1 > patternWildcards) {
    const message = `A value may have at most ${patternWildcards} wildcards, found ${parts.length - 1}.`
    exceed(parsing, 'patternWildcards', { from, to }, message)
  }
  if (++parsing.patterns > filterPatterns) {
    const message = `A filter may have at most ${filterPatterns} values that contain both wildcards and other characters.`
    exceed(parsing, 'filterPatterns', { from, to }, message)
  }
}

/** Skips to the next condition, AND, or OR, or to the end of the current parentheses or of the filter. */
export function skipPart(parsing: Parsing): void {
  for (let token = peek(parsing); !endsPart(token) && !beginsPart(token); token = peek(parsing)) {
    next(parsing)
    if (token.kind === 'open') skipToClose(parsing)
  }
}

const endsPart = ({ kind }: Token): boolean => kind === 'and' || kind === 'or' || kind === 'close' || kind === 'end'

function beginsPart(token: Token): boolean {
  if (token.kind === 'text' || token.kind === 'string') return token.isSpaced && !token.isRight
  return token.kind === 'not' || token.kind === 'minus' || (token.kind === 'open' && token.opens === 'group')
}

export function skipToClose(parsing: Parsing): void {
  for (let open = 1; open > 0; ) {
    const token = next(parsing)
    if (token.kind === 'end') return
    if (token.kind === 'open') open++
    if (token.kind === 'close') open--
  }
}
