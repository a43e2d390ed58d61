import type { Span } from '../positions.ts'
import { fault } from '../problems.ts'
import { comparatorToken } from './comparators.ts'
import { isKeyword } from './quote.ts'
import { type Scanned, scanString, scanText } from './scan-string-or-text.ts'
import { isValueToken, type Parenthesis, type Token, type ValueToken } from './token.ts'

/**
 * Splits a filter into tokens. Never throws and takes linear time. A token with a lexical error has a fault. The last
 * token has the kind `end`.
 *
 * The meaning of a character depends on whether it is to the left or to the right of a comparator. The lexer therefore
 * tracks parentheses: parentheses after a comparator, except in `services:(…)`, and those of a function contain values.
 */
export function lex(text: string): Token[] {
  const tokens: Token[] = []
  const parentheses: Parenthesis[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const token = nextToken(text, at, tokens, parentheses.at(-1))
    if (token.kind === 'open') parentheses.push(token.opens)
    if (token.kind === 'close') parentheses.pop()
    tokens.push(token)
    at = skipSpace(text, token.to)
  }
  tokens.push({ kind: 'end', from: text.length, to: text.length, isSpaced: true })
  return tokens
}

const space = /\s*/y

function skipSpace(text: string, from: number): number {
  space.lastIndex = from
  space.test(text)
  return space.lastIndex
}

function nextToken(text: string, at: number, before: readonly Token[], inside: Parenthesis | undefined): Token {
  const previous = before.at(-1)
  const isSpaced = previous === undefined || previous.to < at
  const isRight = inside === 'list' || inside === 'arguments' || previous?.kind === 'comparator'
  const one = { from: at, to: at + 1, isSpaced }
  switch (text[at]) {
    case '(':
      return { ...one, kind: 'open', opens: openedBy(before, one, inside) }
    case ')':
      return { ...one, kind: 'close', closes: inside }
    case ',':
      return { ...one, kind: 'comma' }
    case '"':
    case "'": {
      const word = previous?.kind === 'text' && !isSpaced ? previous : undefined
      return valueToken('string', scanString(text, at, word), { isSpaced, isRight })
    }
    case '-':
      if (!isRight && previous?.kind !== 'dot') return { ...one, kind: 'minus' }
      break
    case '.':
      if (!isRight) return { ...one, kind: 'dot' }
      break
  }
  return comparatorToken(text, one, isRight) ?? wordToken(text, one, { isRight, previous })
}

function wordToken(
  text: string,
  one: Span & { isSpaced: boolean },
  { isRight, previous }: { isRight: boolean; previous: Token | undefined },
): Token {
  const { isSpaced } = one
  const id = isRight || previous?.kind === 'dot' ? undefined : idAt(text, one.from)
  if (id !== undefined) return { ...one, kind: 'text', to: one.from + id.length, parts: [id], isRight }
  const found = scanText(text, one.from, isRight)
  if (found === undefined) {
    const message = 'To negate a condition, write NOT before it. To compare for inequality, write !=.'
    const right = isRight ? null : operatorFor(text, one, previous)
    return { ...one, kind: 'invalid', fault: fault(one, message, right) }
  }
  const word = found.parts[0]!
  if (found.parts.length === 1 && !found.isEscaped && isKeyword(word))
    return { kind: word.toLowerCase() as 'and' | 'or' | 'not', from: found.from, to: found.to, isSpaced }
  return valueToken('text', found, { isSpaced, isRight })
}

/** Returns the operator that the user probably meant by an exclamation mark, or null if no operator is valid there. */
function operatorFor(
  text: string,
  { to, isSpaced }: Span & { isSpaced: boolean },
  previous: Token | undefined,
): string | null {
  if (isSpaced || previous?.kind === 'open') return 'NOT '
  const endsName =
    previous?.kind === 'close' ? previous.closes === 'arguments' : isValueToken(previous) && !previous.isRight
  return endsName && beginsValue(text, to) ? '!=' : null
}

function beginsValue(text: string, at: number): boolean {
  const first = text.charAt(at)
  // After an exclamation mark, a colon is probably meant as a comparator, although a value can begin with a colon.
  if (first === ':') return false
  if (/["'(]/.test(first)) return true
  const word = scanText(text, at, true)
  return word !== undefined && !isKeyword(text.slice(word.from, word.to))
}

function valueToken(
  kind: 'text' | 'string',
  { from, to, parts, fault }: Scanned,
  { isSpaced, isRight }: { isSpaced: boolean; isRight: boolean },
): ValueToken {
  return { kind, from, to, parts, isSpaced, isRight, ...(fault === undefined ? {} : { fault }) }
}

const idForm = /80(?::[0-9a-fA-F]{2})+(?=$|[\s(),"'=<>!:])/y

/** Reads a pasted ID as one word, although it contains colons. */
function idAt(text: string, at: number): string | undefined {
  idForm.lastIndex = at
  return idForm.exec(text)?.[0]
}

function openedBy(
  before: readonly Token[],
  { isSpaced }: { isSpaced: boolean },
  inside: Parenthesis | undefined,
): Parenthesis {
  if (inside === 'list' || inside === 'arguments') return inside
  const previous = before.at(-1)
  if (previous?.kind === 'comparator') return previous.comparator === ':' && isServices(before) ? 'nested' : 'list'
  return previous?.kind === 'text' && !previous.isRight && !isSpaced ? 'arguments' : 'group'
}

/** Returns whether the last token, which must be a comparator, follows `services` or `device.services`. */
function isServices(before: readonly Token[]): boolean {
  const at = before.length - 2
  if (!isNamed(before[at], 'services')) return false
  if (before[at - 1]?.kind !== 'dot') return true
  return isNamed(before[at - 2], 'device') && before[at - 3]?.kind !== 'dot'
}

const isNamed = (token: Token | undefined, name: string): boolean =>
  isValueToken(token) && token.parts.length === 1 && token.parts[0] === name
