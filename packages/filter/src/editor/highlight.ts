import type { Span } from '../positions.ts'
import { lex } from '../syntax/lexer.ts'
import type { Token } from '../syntax/token.ts'

export interface HighlightToken extends Span {
  readonly kind: 'name' | 'operator' | 'keyword' | 'value' | 'function' | 'paren' | 'error'
}

/**
 * Splits a filter into tokens for highlighting. Accepts invalid filters. Marks lexical errors, such as unclosed
 * strings, and unmatched parentheses. Takes linear time.
 */
export function tokens(text: string): HighlightToken[] {
  const found = lex(text)
  const unmatched = unmatchedParentheses(found)
  const calls: (Call | null)[] = []
  return found.flatMap((token, index) => {
    if (token.kind === 'end') return []
    if (token.kind === 'open') calls.push(token.opens === 'arguments' ? toCall(text, found[index - 1]!) : null)
    const call = calls.at(-1) ?? null
    if (token.kind === 'close') calls.pop()
    if (token.kind === 'comma' && call !== null) call.position++
    const isError = token.fault !== undefined || unmatched.has(index)
    return { kind: isError ? 'error' : kindOf(found, index, call), from: token.from, to: token.to }
  })
}

interface Call {
  /** Index of the argument that is a name, or -1 if no argument is a name. */
  namePosition: number
  position: number
}

const functionsWithoutName: ReadonlySet<string> = new Set(['any', 'view'])
const functionsWithContext: ReadonlySet<string> = new Set(['in', 'override'])

function toCall(text: string, { from, to }: Span): Call {
  const name = text.slice(from, to)
  return { namePosition: functionsWithoutName.has(name) ? -1 : functionsWithContext.has(name) ? 1 : 0, position: 0 }
}

function kindOf(found: readonly Token[], index: number, call: Call | null): HighlightToken['kind'] {
  const token = found[index]!
  switch (token.kind) {
    case 'text':
    case 'string':
      if (call !== null) return call.position === call.namePosition ? 'name' : 'value'
      if (isFunction(found[index + 1])) return 'function'
      return !token.isRight && isInName(found, index) ? 'name' : 'value'
    case 'dot':
      return 'name'
    case 'open':
    case 'close':
      return 'paren'
    case 'and':
    case 'or':
    case 'not':
      return 'keyword'
    default:
      return 'operator'
  }
}

const isFunction = (token: Token | undefined): boolean => token?.kind === 'open' && token.opens === 'arguments'

function isInName(found: readonly Token[], index: number): boolean {
  const after = found[index + 1]?.kind
  return after === 'comparator' || after === 'dot' || found[index - 1]?.kind === 'dot'
}

function unmatchedParentheses(found: readonly Token[]): ReadonlySet<number> {
  const unmatched = new Set<number>()
  const open: number[] = []
  found.forEach((token, index) => {
    if (token.kind === 'open') open.push(index)
    if (token.kind === 'close' && open.pop() === undefined) unmatched.add(index)
  })
  for (const index of open) unmatched.add(index)
  return unmatched
}
