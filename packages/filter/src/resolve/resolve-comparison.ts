import type { FieldType } from '../names/fields.ts'
import { abbreviate } from '../problems.ts'
import { isOrder } from '../syntax/comparators.ts'
import { printValue } from '../syntax/print.ts'
import { quote } from '../syntax/quote.ts'
import type { Comparator } from '../syntax/token.ts'
import type { Comparison, Value, ValueList } from '../syntax/tree.ts'
import { resolveLiteral } from './resolve-literal.ts'
import type { Compare, CompareList, HasValue, Literal, Subject } from './resolved.ts'
import { type Resolving, reject, rejectWith, replace, warn, written } from './resolving.ts'

/** A comparison without its negation: `!=` becomes `=`. */
export type PlainComparison = Compare | CompareList | HasValue

/** A comparison whose subject is resolved, and whose argument contains only values. */
export interface ValueComparison {
  readonly subject: Subject
  readonly comparison: Comparison
  readonly argument: Value | ValueList
}

export function resolveComparison(resolving: Resolving, found: ValueComparison): PlainComparison | undefined {
  const { subject, comparison, argument } = found
  if (!isAllowed(resolving, found)) return undefined
  if (argument.type === 'list') return resolveList(resolving, found, argument)
  if (isOnlyWildcards(argument)) return resolvePresence(resolving, found, argument)
  const operator = plainOperator(subject, comparison.comparator)
  const literal = resolveLiteral(resolving, { subject, operator }, argument)
  if (literal === undefined) return undefined
  warnAboutQuotes(resolving, argument)
  return { type: 'compare', subject, operator, literal }
}

export const isOnlyWildcards = ({ parts }: Value): boolean => parts.length > 1 && parts.every((part) => part === '')

/** Returns `=` for `!=`. Treats `:` like `=` for `state` and Boolean fields. */
function plainOperator(subject: Subject, comparator: Comparator): Compare['operator'] {
  if (comparator === '!=') return '='
  const isChoice = subject.type === 'field' && (subject.valueType === 'state' || subject.valueType === 'boolean')
  return comparator === ':' && isChoice ? '=' : comparator
}

const unordered: ReadonlySet<FieldType> = new Set(['id', 'eventId', 'state', 'boolean', 'email', 'source'])
const withoutParts: ReadonlySet<FieldType> = new Set(['number', 'time'])

/** Returns whether the subject supports the comparator. Reports an error if it does not. */
function isAllowed(resolving: Resolving, { subject, comparison, argument }: ValueComparison): boolean {
  const { comparator } = comparison
  const name = written(resolving, comparison.subject)
  const wrong = (message: string): boolean => reject(resolving, { ...comparison, message, edits: null }) !== undefined
  if (subject.type === 'age' && !isOrder(comparator))
    return wrong('Use <, <=, >, or >= with age(), as in age(site) > 2d')
  if (subject.type === 'changed' && comparator === ':')
    return wrong('Use =, !=, <, <=, >, or >= with changed(), as in changed(site) > -2d')
  if (subject.type !== 'field') return true
  if (unordered.has(subject.valueType) && isOrder(comparator))
    return wrong(`Use =, !=, or : with ${subject.name}, not ${comparator}`)
  const isPresence = argument.type === 'value' && isOnlyWildcards(argument)
  if (comparator !== ':' || isPresence || !withoutParts.has(subject.valueType)) return true
  const message = `Use =, !=, <, <=, >, or >= with ${name}. For any value, write ${name}:*`
  const right = `${name} = ${written(resolving, argument)}`
  rejectWith(resolving, comparison, message, canEqual(resolving, subject, argument) ? replace(comparison, right) : null)
  return false
}

/** Returns whether the subject can have all values of the argument, so that `=` is valid instead of `:`. */
function canEqual(resolving: Resolving, subject: Subject, argument: Value | ValueList): boolean {
  if (argument.type === 'list' && argument.join === 'and') return false
  const values = argument.type === 'list' ? argument.values : [argument]
  const unreported = { ...resolving, problems: [], warnings: [] }
  return values.every((value) => resolveLiteral(unreported, { subject, operator: '=' }, value) !== undefined)
}

function resolvePresence(
  resolving: Resolving,
  { subject, comparison }: ValueComparison,
  value: Value,
): HasValue | undefined {
  const isSimple = subject.type === 'field' || subject.type === 'attribute'
  if (comparison.comparator === ':' && isSimple) return { type: 'present', subject }
  const name = presenceName(resolving, { subject, comparison })
  const [what, not] = comparison.comparator === '!=' ? ['a missing value', 'NOT '] : ['any value', '']
  const right = `${not}${name}:*`
  const message = `To test for ${what}, write ${abbreviate(right)}. For the character *, write "\\*".`
  return rejectWith(resolving, value, message, isSimple ? replace(comparison, right) : null)
}

/** Returns the name to write before `:*`: the attribute of age() or changed(), or else the subject as written. */
function presenceName(resolving: Resolving, { subject, comparison }: Pick<ValueComparison, 'subject' | 'comparison'>) {
  const isTime = subject.type === 'age' || subject.type === 'changed'
  const named = isTime && comparison.subject.type === 'call' ? comparison.subject.arguments[0]! : comparison.subject
  return written(resolving, named)
}

function resolveList(resolving: Resolving, found: ValueComparison, list: ValueList): CompareList | Compare | undefined {
  const { subject, comparison } = found
  const { comparator } = comparison
  const all = list.values.map((value) => written(resolving, value))
  if (isOrder(comparator)) {
    const message =
      subject.type === 'age'
        ? 'Compare age() with a single duration, as in age(site) > 2d'
        : `Use = or != with a list of values, not ${comparator}`
    return rejectWith(resolving, list, message)
  }
  if (list.join === 'and' && comparator !== ':') {
    const right = `(${all.join(' OR ')})`
    const message = `A list after ${comparator} can contain only OR, not AND. Write ${abbreviate(right)}`
    return rejectWith(resolving, list, message, replace(list, right))
  }
  const operator = plainOperator(subject, comparator)
  const literals = list.values.map((value) => resolveListed(resolving, found, value))
  const valid = literals.filter((literal) => literal !== undefined)
  if (valid.length < literals.length) return undefined
  for (const value of list.values) warnAboutQuotes(resolving, value)
  if (valid.length === 1) return { type: 'compare', subject, operator, literal: valid[0]! }
  const match = list.join === 'and' ? 'all' : 'any'
  return { type: 'list', subject, operator: operator === ':' ? ':' : '=', match, literals: valid }
}

function resolveListed(
  resolving: Resolving,
  { subject, comparison }: ValueComparison,
  value: Value,
): Literal | undefined {
  if (!isOnlyWildcards(value))
    return resolveLiteral(resolving, { subject, operator: plainOperator(subject, comparison.comparator) }, value)
  const message = `A list cannot contain * alone. For any value, write ${presenceName(resolving, { subject, comparison })}:*`
  return rejectWith(resolving, value, message)
}

/**
 * Warns if the comparison is `lastReported <` or `lastReported <=`. Such a comparison excludes devices or services that
 * have never reported, because a comparison with a missing time is false. Call this function only if the comparison is
 * not negated, because NOT includes these devices or services.
 */
export function warnAboutOrder(resolving: Resolving, { subject, comparison }: ValueComparison): void {
  const { comparator } = comparison
  if (subject.type !== 'field' || subject.name !== 'lastReported' || !comparator.startsWith('<')) return
  const opposite = comparator === '<' ? '>=' : '>'
  const name = written(resolving, comparison.subject)
  const right = `NOT ${name} ${opposite} ${written(resolving, comparison.argument)}`
  const message = `This condition omits ${subject.of}s that have never reported. To include them, write ${right}`
  warn(resolving, comparison, message, replace(comparison, right))
}

/** Warns about typographic quotes, which word processors insert instead of straight quotes. */
function warnAboutQuotes(resolving: Resolving, value: Value): void {
  const text = printValue(value)
  if (value.isQuoted || !/^[“”„‘’‚«»]/.test(text)) return
  const plain = quote(value.parts.map((part) => part.replaceAll(/[“”„‘’‚«»]/g, '')))
  warn(
    resolving,
    value,
    `The typographic quotes in ${abbreviate(text)} are part of the value. To omit them, write ${abbreviate(plain)}`,
    replace(value, plain),
  )
}
