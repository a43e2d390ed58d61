import { parseFilter } from '../syntax/parser.ts'
import { printFilter, printMember, printValue } from '../syntax/print.ts'
import { writeValue, writeWord } from '../syntax/quote.ts'
import type { Comparator } from '../syntax/token.ts'
import type { Comparison, Expression } from '../syntax/tree.ts'

/**
 * One condition of a filter that consists of conditions joined by AND.
 *
 * - `site = (oslo OR bergen)` has the subject `site`, the operator `=`, and two values.
 * - `site:*` has the value `*`.
 * - A bare word has the subject `''`, the operator `null`, and one value.
 * - `stale(site)` has the subject `stale(site)`, the operator `null`, and no values.
 */
export interface Chip {
  readonly subject: string
  readonly operator: Comparator | null
  /** The values as written in the filter, with quotes where needed. See `writeChipValue`. */
  readonly values: readonly string[]
  /**
   * Whether NOT or a minus sign precedes the condition. For `=` and `!=`, a negation changes the operator instead:
   * `NOT site = oslo` has the operator `!=`.
   */
  readonly isNegated: boolean
  /** Whether all values must match, as in `name:(gate AND north)`, instead of at least one. */
  readonly matchesAll: boolean
}

/**
 * Converts a filter to chips. Returns undefined for filters with OR between conditions, NOT before a group or another
 * NOT, `services:(…)`, `(*)`, syntax errors, or exceeded limits.
 */
export function toChips(text: string): Chip[] | undefined {
  const { tree, problems } = parseFilter(text)
  if (problems.length > 0) return undefined
  if (tree === null) return []
  const chips = flatten(tree).map(toChip)
  return chips.includes(undefined) ? undefined : chips.filter((chip) => chip !== undefined)
}

const flatten = (tree: Expression): readonly Expression[] =>
  tree.type === 'and' ? tree.operands.flatMap(flatten) : [tree]

function toChip(tree: Expression): Chip | undefined {
  switch (tree.type) {
    case 'word':
      return { subject: '', operator: null, values: [printValue(tree.value)], isNegated: false, matchesAll: false }
    case 'call':
      return { subject: printFilter(tree), operator: null, values: [], isNegated: false, matchesAll: false }
    case 'comparison':
      return comparisonChip(tree)
    case 'not': {
      const chip = tree.operand.type === 'not' ? undefined : toChip(tree.operand)
      return chip && negate(chip)
    }
    default:
      return undefined
  }
}

function comparisonChip({ subject, comparator, argument }: Comparison): Chip | undefined {
  if (argument.type === 'nested') return undefined
  const values = (argument.type === 'list' ? argument.values : [argument]).map(printValue)
  // `site:(*)` is invalid, so it must not become the valid `site:*`.
  if (argument.type === 'list' && values.length === 1 && values[0] === '*') return undefined
  return {
    subject: subject.type === 'call' ? printFilter(subject) : printMember(subject),
    operator: comparator,
    values,
    isNegated: false,
    matchesAll: argument.type === 'list' && argument.join === 'and',
  }
}

function negate(chip: Chip): Chip {
  if (chip.operator === '=') return { ...chip, operator: '!=' }
  if (chip.operator === '!=') return { ...chip, operator: '=' }
  return { ...chip, isNegated: true }
}

export const fromChips = (chips: readonly Chip[]): string => chips.map(writeChip).join(' AND ')

function writeChip({ subject, operator, values, isNegated, matchesAll }: Chip): string {
  const not = isNegated ? 'NOT ' : ''
  if (operator === null) return not + (subject === '' ? values.join('') : subject)
  const value = values.length === 1 ? values[0]! : `(${values.join(matchesAll ? ' AND ' : ' OR ')})`
  const space = subject.startsWith('80') ? ' ' : ''
  return `${not}${subject}${operator === ':' ? `${space}:` : ` ${operator} `}${value}`
}

/**
 * Formats a user's input as a value, with quotes unless the input is a plain word or an ID. Also quotes numbers and
 * times. With `isWord`, formats the input as a bare word.
 */
export const writeChipValue = (text: string, { isWord = false }: { isWord?: boolean } = {}): string =>
  isWord ? writeWord([text]) : writeValue([text])

/** Returns a value without its quotes and escapes, for display. A wildcard and an escaped asterisk both become `*`. */
export function showChipValue(value: string): string {
  const { tree } = parseFilter(`x = ${value}`)
  return tree?.type === 'comparison' && tree.argument.type === 'value' ? tree.argument.parts.join('*') : value
}
