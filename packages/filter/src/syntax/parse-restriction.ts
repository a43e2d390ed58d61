import { filterLimits } from '../limits.ts'
import type { Span } from '../positions.ts'
import { type Fault, fault } from '../problems.ts'
import { parseList } from './parse-list.ts'
import {
  type Broken,
  broken,
  countPattern,
  countTerm,
  exceed,
  lastRead,
  next,
  type Parsing,
  peek,
  report,
  skipToClose,
  unclosed,
} from './parsing.ts'
import { quote } from './quote.ts'
import { runEnd } from './scan-string-or-text.ts'
import { type ComparatorToken, isValueToken, type Token, type ValueToken } from './token.ts'
import type { Call, Expression, Member, Nested, Restriction, Value, ValueList } from './tree.ts'

/** Parses the expression of `services:(…)`, from the token after the opening parenthesis through the closing one. */
export type ParseNested = (parsing: Parsing, open: Token) => Expression | Broken

/** Parses a word, a function, or a comparison. The next token must be a word or a string. */
export function parseRestriction(parsing: Parsing, parseNested: ParseNested): Restriction | Broken {
  const subject = parseSubject(parsing)
  if (subject === broken) return broken
  const token = peek(parsing)
  if (token.kind === 'comparator') {
    next(parsing)
    return parseComparison(parsing, { subject, comparator: token }, parseNested)
  }
  countTerm(parsing, subject)
  if (subject.type === 'call') return subject
  const [value, ...further] = subject.levels
  if (further.length > 0) return report(parsing, pathWithoutComparator(parsing, subject))
  countPattern(parsing, value!)
  return { type: 'word', from: subject.from, to: subject.to, value: value! }
}

function pathWithoutComparator({ text }: Parsing, { from, to }: Span): Fault {
  const path = text.slice(from, to)
  const word = quote([path.replaceAll(/["']/g, '')])
  const message = `${path} has no comparator. To search for a word with a dot, quote it: ${word}`
  return fault({ from, to }, message, word)
}

function parseSubject(parsing: Parsing): Member | Call | Broken {
  const first = next(parsing) as ValueToken
  if (isCall(parsing)) return parseCall(parsing, first)
  const levels = [toValue(first)]
  while (peek(parsing).kind === 'dot') {
    const dot = next(parsing)
    const token = peek(parsing)
    if (!isValueToken(token)) return report(parsing, missingLevel(parsing, dot, token))
    next(parsing)
    if (isCall(parsing)) {
      const name = parsing.text.slice(token.from, token.to)
      return report(parsing, fault(token, `A function cannot follow a dot. Write ${name}(…) by itself.`))
    }
    levels.push(toValue(token))
  }
  return { type: 'member', from: first.from, to: levels.at(-1)!.to, levels }
}

function missingLevel({ text }: Parsing, dot: Token, token: Token): Fault {
  if (token.kind !== 'and' && token.kind !== 'or' && token.kind !== 'not')
    return fault(dot, 'Write a name after the dot.')
  const word = quote([text.slice(token.from, token.to)])
  return fault(token, `To use a keyword as a name, quote it: ${word}`, word)
}

function isCall(parsing: Parsing): boolean {
  const token = peek(parsing)
  return token.kind === 'open' && token.opens === 'arguments'
}

function parseCall(parsing: Parsing, name: ValueToken): Call | Broken {
  const open = next(parsing)
  const values: Value[] = []
  for (;;) {
    const token = next(parsing)
    if (token.kind === 'close' && values.length === 0) break
    if (!isValueToken(token)) return badArguments(parsing, open, token)
    values.push(toValue(token))
    const after = next(parsing)
    if (after.kind === 'close') break
    if (after.kind !== 'comma') return badArguments(parsing, open, after)
  }
  const written = parsing.text.slice(name.from, name.to)
  return { type: 'call', from: name.from, to: lastRead(parsing).to, name: written, arguments: values }
}

function badArguments(parsing: Parsing, open: Token, found: Token): Broken {
  if (found.kind === 'end') return report(parsing, unclosed(parsing, open))
  if (found.kind === 'open') skipToClose(parsing)
  if (found.kind !== 'close') skipToClose(parsing)
  const message =
    found.kind === 'close'
      ? 'Write an argument after the comma.'
      : 'A function takes words and strings, separated by commas. For a condition in parentheses, write a space before the opening parenthesis.'
  return report(parsing, fault(found, message))
}

interface Left {
  subject: Member | Call
  comparator: ComparatorToken
}

function parseComparison(parsing: Parsing, left: Left, parseNested: ParseNested): Restriction | Broken {
  const argument = parseArgument(parsing, left, parseNested)
  if (argument === broken) return broken
  const { subject, comparator } = left
  const { from } = subject
  const { to } = argument
  countTerm(parsing, { from, to }, argument.type === 'list' ? argument.values.length : 0)
  return { type: 'comparison', from, to, subject, comparator: comparator.comparator, argument }
}

function parseArgument(parsing: Parsing, left: Left, parseNested: ParseNested): Value | ValueList | Nested | Broken {
  const token = peek(parsing)
  if (isValueToken(token)) {
    next(parsing)
    const after = peek(parsing)
    if (after.kind === 'comparator' || after.kind === 'comma' || after.kind === 'invalid') {
      if (!after.isSpaced) return report(parsing, unquotedValue(parsing, token))
    }
    countPattern(parsing, token)
    return toValue(token)
  }
  if (token.kind === 'open') {
    next(parsing)
    if (token.opens === 'list')
      return parsing.depth < filterLimits.filterDepth ? parseList(parsing, token) : tooDeep(parsing, token)
    const expression = parseNested(parsing, token)
    if (expression === broken) return broken
    return { type: 'nested', from: token.from, to: lastRead(parsing).to, expression }
  }
  return report(parsing, missingValue(parsing, left, token))
}

/** Reports that parentheses are nested too deeply, and skips them. The limit also keeps the recursion shallow. */
export function tooDeep(parsing: Parsing, open: Token): Broken {
  const { filterDepth } = filterLimits
  skipToClose(parsing)
  exceed(parsing, 'filterDepth', open, `A filter may have at most ${filterDepth} levels of parentheses.`)
  return broken
}

function unquotedValue({ text }: Parsing, token: Token): Fault {
  const span = { from: token.from, to: runEnd(text, token.from) }
  const word = quote([text.slice(span.from, span.to)])
  const message = `Write ${word}, because a value with any of these characters must be in quotes: ( ) , " ' = < > ! \\`
  return fault(span, message, word)
}

function missingValue({ text }: Parsing, { subject, comparator }: Left, token: Token): Fault {
  if (token.kind === 'and' || token.kind === 'or' || token.kind === 'not') {
    const word = quote([text.slice(token.from, token.to)])
    return fault(token, `To use a keyword as a value, quote it: ${word}`, word)
  }
  const written = text.slice(subject.from, comparator.to)
  const message = `Write a value after ${written}`
  if (comparator.comparator !== ':') return fault(comparator, `${message}, or "" for the empty string.`)
  return fault(comparator, `${message}, or ${written}* for any value.`, ':*')
}

const toValue = ({ kind, from, to, parts }: ValueToken): Value => ({
  type: 'value',
  from,
  to,
  parts,
  isQuoted: kind === 'string',
})
