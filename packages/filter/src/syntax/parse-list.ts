import { filterLimits } from '../limits.ts'
import { type Fault, fault } from '../problems.ts'
import { type Join, mixedOperators } from './mixed-operators.ts'
import {
  type Broken,
  countPattern,
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
import { isValueToken, type Token } from './token.ts'
import type { Value, ValueList } from './tree.ts'

/** Parses the values of a list, from the token after the opening parenthesis through the closing parenthesis. */
export function parseList(parsing: Parsing, open: Token): ValueList | Broken {
  const values: Value[] = []
  const joins: Join[] = []
  for (;;) {
    const token = next(parsing)
    if (!isValueToken(token)) return badList(parsing, open, token)
    countPattern(parsing, token)
    const { from, to, parts } = token
    values.push({ type: 'value', from, to, parts, isQuoted: token.kind === 'string' })
    const after = peek(parsing)
    if (after.kind === 'close') break
    if (after.kind === 'and' || after.kind === 'or') {
      joins.push(after.kind)
      next(parsing)
    } else if (after.isSpaced && isValueToken(after)) joins.push('space')
    else return badList(parsing, open, next(parsing))
  }
  next(parsing)
  const isOr = joins.includes('or')
  if (isOr && joins.some((join) => join !== 'or')) return report(parsing, mixedList(parsing, values, joins))
  const list = { from: open.from, to: lastRead(parsing).to }
  if (values.length > filterLimits.listValues) {
    const message = `A list may have at most ${filterLimits.listValues} values, found ${values.length}.`
    exceed(parsing, 'listValues', list, message)
  }
  return { type: 'list', ...list, join: isOr || values.length === 1 ? 'or' : 'and', values }
}

/** Suggests OR between all values, because lists cannot be nested. */
function mixedList({ text }: Parsing, values: readonly Value[], joins: readonly Join[]): Fault {
  const { from, to } = mixedOperators(text, values, joins)
  const all = values.map((value) => text.slice(value.from, value.to)).join(' OR ')
  return fault({ from, to }, 'Join the values of a list only with OR, or only with AND. A space means AND.', all)
}

function badList(parsing: Parsing, open: Token, found: Token): Broken {
  if (found.kind === 'end') return report(parsing, unclosed(parsing, open))
  const wrong = faultInList(parsing, found)
  if (found.kind === 'open') skipToClose(parsing)
  if (found.kind !== 'close') skipToClose(parsing)
  return report(parsing, wrong)
}

function faultInList({ text }: Parsing, found: Token): Fault {
  switch (found.kind) {
    case 'comma':
      return fault(found, 'Separate the values of a list with OR or AND, not with a comma.', ' OR')
    case 'close':
      return fault(found, 'Write a value before the closing parenthesis.')
    case 'and':
    case 'or':
    case 'not': {
      const word = quote([text.slice(found.from, found.to)])
      return fault(
        found,
        `A list can contain only values and one kind of operator. To use a keyword as a value, quote it: ${word}`,
      )
    }
    default:
      return fault(
        found,
        'A list can contain only values, separated by OR or AND. Quote a value that contains special characters.',
      )
  }
}
