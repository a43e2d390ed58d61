import { filterLimits } from '../limits.ts'
import { type Span, toCodePoints } from '../positions.ts'
import { byPlace, type Fault, type FilterProblem, fault, toProblem } from '../problems.ts'
import { lex } from './lexer.ts'
import { type Join, mixedOperators } from './mixed-operators.ts'
import { parseRestriction, tooDeep } from './parse-restriction.ts'
import { type Broken, broken, lastRead, next, type Parsing, peek, report, skipPart, unclosed } from './parsing.ts'
import { isValueToken, type Token } from './token.ts'
import type { Expression } from './tree.ts'

export interface ParsedFilter {
  readonly text: string
  /**
   * Null if the filter is empty or too long, contains characters that PostgreSQL cannot store, or has no part that
   * could be parsed. If the filter has other errors, the tree contains only the parts that could be parsed.
   */
  readonly tree: Expression | null
  /** Problems in order of position: up to five syntax errors, and up to one problem for each limit. */
  readonly problems: readonly FilterProblem[]
}

export interface ParseOptions {
  /**
   * Maximum number of characters. Default: 4096. The canonical forms that the server stores can be longer: to parse
   * them, set a higher limit.
   */
  readonly maxLength?: number
}

/** Parses the filter language, which is based on AIP-160. Never throws. Takes linear time for any string. */
export function parseFilter(text: string, { maxLength = filterLimits.filterLength }: ParseOptions = {}): ParsedFilter {
  const tooLong = excessLength(text, maxLength)
  if (tooLong !== undefined) return { text, tree: null, problems: [tooLong] }
  const tokens = lex(text)
  const parsing: Parsing = {
    text,
    tokens,
    at: 0,
    depth: 0,
    fifths: 0,
    patterns: 0,
    syntaxErrors: [],
    exceeded: new Map(),
  }
  for (const found of lexicalFaults(text, tokens)) report(parsing, found)
  const tree = parseAll(parsing)
  const problems = [...parsing.syntaxErrors, ...parsing.exceeded.values()].sort(byPlace)
  return { text, tree: tree === broken || !isStorable(text) ? null : tree, problems }
}

function excessLength(text: string, maxLength: number): FilterProblem | undefined {
  if (text.length <= maxLength) return undefined
  const found = toCodePoints(text, text.length)
  if (found <= maxLength) return undefined
  const message = `A filter may have at most ${maxLength} characters, found ${found}.`
  const wrong = { from: 0, to: text.length, message, edits: null }
  return toProblem(text, 'limit', wrong, 'filterLength')
}

/** Matches the characters that PostgreSQL cannot store: U+0000 and lone surrogates. */
const unstorable = /\0|\p{Surrogate}/gu

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

function lexicalFaults(text: string, tokens: readonly Token[]): Fault[] {
  const faults = tokens.flatMap((token) => token.fault ?? [])
  const edits = Array.from(text.matchAll(unstorable), ({ index }) => ({ from: index, to: index + 1, text: '' }))
  const [first] = edits
  if (first === undefined) return faults
  const what = text[first.from] === '\0' ? 'the character U+0000' : 'a lone surrogate'
  return [...faults, { from: first.from, to: first.to, message: `A filter must not contain ${what}.`, edits }]
}

/** Parses the whole filter, even after an unmatched closing parenthesis. Returns null for an empty filter. */
function parseAll(parsing: Parsing): Expression | null | Broken {
  if (peek(parsing).kind === 'end') return null
  let result: Expression | Broken | undefined
  for (;;) {
    const { kind } = peek(parsing)
    const expression = kind === 'end' || kind === 'close' ? broken : parseExpression(parsing)
    result = result === undefined || result === broken ? expression : result
    const token = next(parsing)
    if (token.kind === 'end') return result
    report(parsing, fault(token, 'This closing parenthesis has no opening parenthesis.', ''))
  }
}

function parseExpression(parsing: Parsing): Expression | Broken {
  const operands: (Expression | Broken)[] = []
  const spans: Span[] = []
  const joins: Join[] = []
  for (;;) {
    const { from } = peek(parsing)
    operands.push(parseTerm(parsing))
    spans.push({ from, to: Math.max(from, lastRead(parsing).to) })
    const token = peek(parsing)
    if (token.kind === 'close' || token.kind === 'end') break
    if (token.kind === 'and' || token.kind === 'or') {
      next(parsing)
      joins.push(token.kind)
    } else {
      if (startsCondition(token) && !token.isSpaced && operands.at(-1) !== broken) reportAdjacent(parsing, token)
      joins.push('space')
    }
  }
  return combine(parsing, { operands, spans, joins })
}

interface Level {
  operands: readonly (Expression | Broken)[]
  spans: readonly Span[]
  joins: readonly Join[]
}

function combine(parsing: Parsing, { operands, spans, joins }: Level): Expression | Broken {
  const valid = operands.filter((operand) => operand !== broken)
  const isOr = joins.includes('or')
  // If an operand has an error, do not report mixed operators, because a space may belong to that operand instead of
  // meaning AND.
  const isMixed = isOr && joins.some((join) => join !== 'or') && valid.length === operands.length
  if (isMixed) report(parsing, mixedOperators(parsing.text, spans, joins))
  if (valid.length <= 1) return valid[0] ?? broken
  return { type: isOr ? 'or' : 'and', from: valid[0]!.from, to: valid.at(-1)!.to, operands: valid }
}

const startsCondition = (token: Token): boolean =>
  token.fault === undefined && (isValueToken(token) || token.kind === 'open' || token.kind === 'minus')

function reportAdjacent(parsing: Parsing, { from }: Token): void {
  const message = 'Write a space, AND, or OR between two conditions. Quote a value that contains quotes or parentheses.'
  report(parsing, { from, to: from, message, edits: [{ from, to: from, text: ' ' }] })
}

/**
 * Parses a condition or an expression in parentheses, with or without negation. Reads at least one token, unless the
 * next token ends the current part.
 */
function parseTerm(parsing: Parsing): Expression | Broken {
  const first = peek(parsing)
  if (first.kind !== 'not' && first.kind !== 'minus') return parseSimple(parsing)
  next(parsing)
  const token = peek(parsing)
  if (first.kind === 'minus' && token.isSpaced) {
    const message = 'Write a minus sign directly before the condition that it negates, or write NOT.'
    report(parsing, fault(first, message, 'NOT'))
  }
  if (token.kind === 'not' || token.kind === 'minus') {
    const written = parsing.text.slice(first.from, token.to)
    const span = { from: first.from, to: token.to }
    report(parsing, fault(span, `${written} negates twice. Use parentheses, as in NOT (NOT site = oslo).`))
    skipPart(parsing)
    return broken
  }
  const operand = parseSimple(parsing)
  return operand === broken ? broken : { type: 'not', from: first.from, to: lastRead(parsing).to, operand }
}

function parseSimple(parsing: Parsing): Expression | Broken {
  const token = peek(parsing)
  if (isValueToken(token)) {
    const restriction = parseRestriction(parsing, parseParenthesized)
    if (restriction === broken) skipPart(parsing)
    return restriction
  }
  if (token.kind === 'open') {
    next(parsing)
    return parseParenthesized(parsing, token)
  }
  if (token.kind !== 'invalid') report(parsing, misplaced(parsing, token))
  skipPart(parsing)
  return broken
}

/** Parses the conditions after an opening parenthesis, and the closing parenthesis. */
function parseParenthesized(parsing: Parsing, open: Token): Expression | Broken {
  if (parsing.depth >= filterLimits.filterDepth) return tooDeep(parsing, open)
  parsing.depth++
  const expression = parseExpression(parsing)
  parsing.depth--
  if (next(parsing).kind === 'end') report(parsing, unclosed(parsing, open))
  return expression
}

function misplaced(parsing: Parsing, token: Token): Fault {
  const written = parsing.text.slice(token.from, token.to)
  switch (token.kind) {
    case 'and':
    case 'or':
      return fault(token, `Write a condition before ${written}. To search for the word, quote it: "${written}"`)
    case 'end':
      return fault(token, 'The filter ends where a condition is expected. Write a condition, such as site = oslo')
    case 'close':
      return fault(token, 'Write a condition before the closing parenthesis.')
    case 'comparator':
      return fault(token, `Write a name before ${written}.`)
    case 'comma':
      return fault(
        token,
        'Write a space, AND, or OR between conditions, not a comma.',
        isBetween(parsing) ? ' AND' : null,
      )
    default:
      return fault(token, 'Quote a word that begins with a dot.')
  }
}

function isBetween({ tokens, at }: Parsing): boolean {
  const before = tokens[at - 1]
  const after = tokens[at + 1]
  return (isValueToken(before) || before?.kind === 'close') && (isValueToken(after) || after?.kind === 'open')
}
