import { isNumber } from '../literals/number.ts'
import { closestName } from '../names/closest-name.ts'
import { sourceKinds } from '../names/fields.ts'
import { abbreviate } from '../problems.ts'
import { quote } from '../syntax/quote.ts'
import type { Value } from '../syntax/tree.ts'
import { resolveTime } from './resolve-time-literal.ts'
import type { Compare, FieldSubject, Literal, PatternLiteral, StringLiteral } from './resolved.ts'
import { type Resolving, rejectWith, replace, written } from './resolving.ts'

const idForm = /^80(:[0-9a-f]{2}){7}$/
const MAX_PORT = 65_535
/** Messages list the possible values of a field if the field has at most this many. */
const MAX_LISTED = 6
const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })

/** Users often write these words for the values of `state` and of Boolean fields. */
const synonyms: ReadonlyMap<string, boolean> = new Map([
  ...['active', 'true', 'on', 'yes', 'up', 'online', 'enabled', '1'].map((word) => [word, true] as const),
  ...['inactive', 'false', 'off', 'no', 'down', 'offline', 'disabled', '0'].map((word) => [word, false] as const),
])

export function resolveFieldLiteral(
  resolving: Resolving,
  { subject, operator }: { subject: FieldSubject; operator: Compare['operator'] },
  value: Value,
): Literal | undefined {
  const isEquality = operator === '='
  const text = toText(value)
  switch (subject.valueType) {
    case 'time':
      return resolveTime(resolving, { name: subject.name, isEquality }, value)
    case 'number':
      return resolveNumber(resolving, { subject, operator }, value)
    case 'application':
      return !value.isQuoted && isNumber(value.parts[0]!) && value.parts.length === 1 && operator !== ':'
        ? resolveNumber(resolving, { subject, operator }, value)
        : resolveTitle(resolving, { subject, operator }, value)
    case 'state':
      return resolveChoice(resolving, subject, value, ['active', 'inactive'])
    case 'boolean':
      return resolveChoice(resolving, subject, value, ['true', 'false'])
    case 'protocol':
      return isEquality && text.type === 'string' ? resolveWord(resolving, subject, value, ['tcp', 'udp']) : text
    case 'source':
      return isEquality && text.type === 'string' ? resolveWord(resolving, subject, value, sourceKinds) : text
    case 'eventType': {
      const { eventTypes } = resolving.options
      const isChecked = isEquality && text.type === 'string' && eventTypes !== undefined
      return isChecked ? resolveWord(resolving, subject, value, eventTypes) : text
    }
    case 'id':
      return resolveId(resolving, value, isEquality)
    case 'eventId':
      return isEquality && text.type === 'string' ? resolveEventId(resolving, value) : text
    default:
      return text
  }
}

export const toText = ({ parts }: Value): StringLiteral | PatternLiteral =>
  parts.length === 1 ? { type: 'string', value: parts[0]! } : { type: 'pattern', parts }

function resolveNumber(
  resolving: Resolving,
  { subject, operator }: { subject: FieldSubject; operator: Compare['operator'] },
  value: Value,
): Literal | undefined {
  const text = value.parts.join('*')
  const found = abbreviate(written(resolving, value))
  if (!isNumber(text)) {
    const message = `${subject.name} must be a number, as in ${subject.name} = 22, not ${found}`
    return rejectWith(resolving, value, message)
  }
  const isImpossible = subject.name === 'port' && (Number(text) > MAX_PORT || Number(text) < 1)
  if (operator === '=' && (!Number.isInteger(Number(text)) || isImpossible)) {
    const range = subject.name === 'port' ? ` from 1 to ${MAX_PORT}` : ''
    return rejectWith(resolving, value, `${subject.name} must be a whole number${range}, not ${found}`)
  }
  return { type: 'number', decimal: text }
}

function resolveTitle(
  resolving: Resolving,
  { subject, operator }: { subject: FieldSubject; operator: Compare['operator'] },
  value: Value,
): Literal | undefined {
  if (operator === '=' || operator === ':') return toText(value)
  const message = `${subject.name} is ordered by its number. To order by the title, compare the field title with ${quote(value.parts)}`
  return rejectWith(resolving, value, message)
}

/** Resolves a value of a field with two possible values. Treats `:` like `=`, because `inactive` contains `active`. */
function resolveChoice(
  resolving: Resolving,
  { name, valueType }: FieldSubject,
  value: Value,
  [yes, no]: readonly [string, string],
): Literal | undefined {
  const text = value.parts.join('*')
  if (value.parts.length === 1 && (text === yes || text === no))
    return valueType === 'boolean' ? { type: 'boolean', value: text === yes } : { type: 'string', value: text }
  const meant = synonyms.get(text.toLowerCase())
  const edit = meant === undefined ? null : replace(value, meant ? yes : no)
  const message = `${name} must be ${yes} or ${no}, not ${abbreviate(written(resolving, value))}`
  return rejectWith(resolving, value, message, edit)
}

function resolveWord(
  resolving: Resolving,
  { name }: FieldSubject,
  value: Value,
  words: readonly string[],
): Literal | undefined {
  const text = value.parts[0]!
  if (words.includes(text)) return { type: 'string', value: text }
  const closest = closestName(text, words)
  const found = abbreviate(written(resolving, value))
  const wrong =
    words.length <= MAX_LISTED ? `${name} must be ${anyOf.format(words)}, not ${found}.` : `Unknown ${name} ${found}.`
  const hint = closest === undefined ? '' : ` Did you mean ${closest}?`
  const edit = closest === undefined ? null : replace(value, closest)
  return rejectWith(resolving, value, `${wrong}${hint}`, edit)
}

/** Converts IDs to lowercase, because the server stores IDs in lowercase but accepts uppercase in filters. */
function resolveId(resolving: Resolving, value: Value, isEquality: boolean): Literal | undefined {
  const parts = value.parts.map((part) => part.toLowerCase())
  if (parts.length > 1) return { type: 'pattern', parts }
  const id = parts[0]!
  if (!isEquality || idForm.test(id)) return { type: 'string', value: id }
  const found = abbreviate(written(resolving, value))
  const message = `An ID consists of 80 and seven more pairs of hex digits, such as 80:00:1f:00:00:00:00:01, not ${found}. For a part of an ID, use the comparator :`
  return rejectWith(resolving, value, message)
}

function resolveEventId(resolving: Resolving, value: Value): Literal | undefined {
  const text = value.parts[0]!
  if (/^[0-9]{1,19}$/.test(text)) return { type: 'string', value: text }
  const message = `The ID of an event must be a whole number of at most 19 digits, as in id = 42, not ${abbreviate(written(resolving, value))}`
  return rejectWith(resolving, value, message)
}
