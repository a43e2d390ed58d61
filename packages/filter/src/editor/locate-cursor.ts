import type { FilterKind } from '../names/fields.ts'
import type { Span } from '../positions.ts'
import { isOrder } from '../syntax/comparators.ts'
import { lex } from '../syntax/lexer.ts'
import { type Comparator, isValueToken, type OpenToken, type Token } from '../syntax/token.ts'

/** The position of a cursor in a filter. The span is the range that a completion replaces. */
export interface Place extends Span {
  /** The part of the current word to the left of the cursor, without quotes. */
  readonly prefix: string
  readonly kind: FilterKind
  readonly isInServices: boolean
  /** Whether no space separates the replaced range from the token before it, as after `age(site)`. */
  readonly isAdjacent: boolean
  readonly spot: Spot
}

export type Spot =
  | { readonly type: 'condition'; readonly name: string; readonly isAfterNot: boolean }
  /** The token before the cursor ends a possible name or a function, as after `site ` or `age(site)`. */
  | { readonly type: 'afterName'; readonly subject: string }
  | { readonly type: 'value'; readonly subject: string; readonly comparator: Comparator }
  | { readonly type: 'argument'; readonly callee: string; readonly position: number }
  | { readonly type: 'afterCondition' | 'afterListed' | 'none' }

export function placeAt(text: string, cursor: number, kind: FilterKind): Place {
  const left = lex(text.slice(0, cursor)).slice(0, -1)
  const current = wordAtEnd(left, cursor)
  const before = current === undefined ? left : left.slice(0, -1)
  const opens = openParentheses(before)
  const isInServices = opens.some((index) => (before[index] as OpenToken).opens === 'nested')
  const common = {
    from: current?.from ?? cursor,
    to: current === undefined ? cursor : wordEnd(text, cursor, current),
    prefix: isValueToken(current) ? current.parts.join('*') : text.slice(current?.from ?? cursor, cursor),
    kind: isInServices ? 'service' : kind,
    isInServices,
    isAdjacent: before.at(-1)?.to === (current?.from ?? cursor),
  } as const
  const open = opens.at(-1)
  const opened = open === undefined ? undefined : (before[open] as OpenToken).opens
  if (opened === 'arguments') return { ...common, spot: argumentSpot(text, before, open!) }
  if (opened === 'list') return { ...common, spot: listSpot(text, before, open!) }
  const from = before.at(-1)?.kind === 'dot' ? before[nameStart(before, before.length - 1)]?.from : undefined
  return { ...common, from: from ?? common.from, spot: conditionSpot(text, before, common.prefix) }
}

/**
 * Returns the word or unclosed string that ends at the cursor, if any. Treats a keyword as a word, because the user may
 * still be typing it.
 */
function wordAtEnd(left: readonly Token[], cursor: number): Token | undefined {
  const last = left.at(-1)
  if (last === undefined || last.to < cursor) return undefined
  if (last.kind === 'string') return last.fault === undefined ? undefined : last
  return last.kind === 'text' || last.kind === 'and' || last.kind === 'or' || last.kind === 'not' ? last : undefined
}

const restOfWord = /[^\s(),"'=<>!:\\.]*/y
const restOfValue = /[^\s(),"'=<>!\\]*/y

/** Returns the end of the word at the cursor. The end may be to the right of the cursor. */
function wordEnd(text: string, cursor: number, current: Token): number {
  if (current.kind === 'string') {
    const end = lex(text).find(({ from }) => from === current.from)
    return end?.fault === undefined ? (end?.to ?? cursor) : cursor
  }
  const rest = isValueToken(current) && current.isRight ? restOfValue : restOfWord
  rest.lastIndex = cursor
  rest.test(text)
  return rest.lastIndex
}

/** Returns the indexes of the unclosed parentheses, outermost first. */
function openParentheses(tokens: readonly Token[]): number[] {
  const open: number[] = []
  tokens.forEach(({ kind }, index) => {
    if (kind === 'open') open.push(index)
    if (kind === 'close') open.pop()
  })
  return open
}

function argumentSpot(text: string, before: readonly Token[], open: number): Spot {
  const callee = before[open - 1]!
  const last = before.at(-1)!
  if (last.kind !== 'comma' && last.kind !== 'open') return { type: 'none' }
  const position = before.slice(open).filter(({ kind }) => kind === 'comma').length
  return { type: 'argument', callee: text.slice(callee.from, callee.to), position }
}

function listSpot(text: string, before: readonly Token[], open: number): Spot {
  const spot = valueSpot(text, before, open - 1)
  if (spot.type === 'value' && isOrder(spot.comparator)) return { type: 'none' }
  return isValueToken(before.at(-1)) ? { type: 'afterListed' } : spot
}

/** Returns the spot of a value of the comparison whose comparator is the token at index `at`. */
function valueSpot(text: string, tokens: readonly Token[], at: number): Spot {
  const token = tokens[at]!
  if (token.kind !== 'comparator') return { type: 'none' }
  return { type: 'value', subject: subjectBefore(text, tokens, at), comparator: token.comparator }
}

function conditionSpot(text: string, before: readonly Token[], prefix: string): Spot {
  const last = before.at(-1)
  switch (last?.kind) {
    case 'comparator':
      return valueSpot(text, before, before.length - 1)
    case 'dot':
      return {
        type: 'condition',
        name: `${subjectBefore(text, before, before.length - 1)}.${prefix}`,
        isAfterNot: false,
      }
    case 'text':
    case 'string':
      if (last.isRight) return { type: 'afterCondition' }
      return { type: 'afterName', subject: subjectBefore(text, before, before.length) }
    case 'close': {
      const subject = subjectBefore(text, before, before.length)
      return subject === '' ? { type: 'afterCondition' } : { type: 'afterName', subject }
    }
    default:
      return { type: 'condition', name: prefix, isAfterNot: last?.kind === 'not' || last?.kind === 'minus' }
  }
}

/** Returns the index of the first token of the name that ends directly before the token at index `end`. */
function nameStart(tokens: readonly Token[], end: number): number {
  let start = end
  while (isValueToken(tokens[start - 1])) {
    start--
    if (tokens[start - 1]?.kind !== 'dot') break
    start--
  }
  return start
}

const nameOf = (tokens: readonly Token[]): string =>
  tokens.map((token) => (isValueToken(token) ? token.parts.join('*') : '.')).join('')

/** Returns the name or function that ends directly before the token at index `end`, or the empty string. */
function subjectBefore(text: string, tokens: readonly Token[], end: number): string {
  if (tokens[end - 1]?.kind !== 'close') return nameOf(tokens.slice(nameStart(tokens, end), end))
  let open = end - 1
  while (open >= 0 && tokens[open]!.kind !== 'open') open--
  const isCall = open > 0 && (tokens[open] as OpenToken).opens === 'arguments'
  return isCall ? text.slice(tokens[open - 1]!.from, tokens[end - 1]!.to) : ''
}
