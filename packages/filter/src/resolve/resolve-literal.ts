import { parseDuration, parseRelativeTime } from '../literals/duration.ts'
import { parseTime } from '../literals/iso-8601.ts'
import { endsInZero, hasFraction, isNumber, isOtherNumber, shortestNumber } from '../literals/number.ts'
import { joinAttributeName } from '../names/attribute-name.ts'
import { abbreviate } from '../problems.ts'
import { quote } from '../syntax/quote.ts'
import type { Value } from '../syntax/tree.ts'
import { resolveFieldLiteral, toText } from './field-literal.ts'
import { forbiddenClock } from './forbidden-terms.ts'
import { resolveTime } from './resolve-time-literal.ts'
import type { Compare, Literal, Subject } from './resolved.ts'
import { type Resolving, reject, rejectWith, replace, warn, written } from './resolving.ts'

/** Resolves a comparison's value. For an attribute, the literal's type depends on the operator and the value's form. */
export function resolveLiteral(
  resolving: Resolving,
  { subject, operator }: Pick<Compare, 'subject' | 'operator'>,
  value: Value,
): Literal | undefined {
  const isOrder = operator !== '=' && operator !== ':'
  if (isOrder && value.parts.length > 1) {
    const message = `A value with the wildcard * can be compared only with =, !=, and :. For the character *, write "\\*".`
    return reject(resolving, { ...value, message, edits: null })
  }
  const literal = resolveBySubject(resolving, { subject, operator }, value)
  if (literal?.type !== 'relative') return literal
  const forbidden = forbiddenClock(resolving.options.usage, 'Relative times')
  return forbidden === undefined ? literal : rejectWith(resolving, value, forbidden)
}

function resolveBySubject(
  resolving: Resolving,
  { subject, operator }: Pick<Compare, 'subject' | 'operator'>,
  value: Value,
): Literal | undefined {
  if (subject.type === 'field') return resolveFieldLiteral(resolving, { subject, operator }, value)
  if (subject.type === 'age') return resolveDuration(resolving, value)
  if (subject.type === 'changed')
    return resolveTime(resolving, { name: 'changed()', isEquality: operator === '=' }, value)
  return operator === '=' || operator === ':' ? toText(value) : resolveOrdered(resolving, subject, value)
}

function resolveDuration(resolving: Resolving, value: Value): Literal | undefined {
  const text = value.parts.join('*')
  const seconds = value.isQuoted ? undefined : parseDuration(text)
  if (seconds !== undefined) return { type: 'duration', seconds }
  const unsigned = text.replace(/^[-+]/, '')
  const edit = parseDuration(unsigned) === undefined ? null : replace(value, unsigned)
  const message = `Compare age() with an unsigned duration without quotes, such as 2d or 1d12h, not ${abbreviate(written(resolving, value))}`
  return rejectWith(resolving, value, message, edit)
}

/** Resolves a value for <, <=, >, or >=. The literal's type determines how an attribute's values are ordered. */
function resolveOrdered(resolving: Resolving, subject: Subject, value: Value): Literal | undefined {
  const text = value.parts[0]!
  const string = { type: 'string', value: text } as const
  if (value.isQuoted) return string
  if (isNumber(text)) return resolveNumber(resolving, subject, value)
  const seconds = parseRelativeTime(text)
  if (seconds !== undefined) return { type: 'relative', seconds }
  const time = parseTime(text)
  if (time !== undefined) return { type: 'time', milliseconds: time.milliseconds }
  const quoted = quote([text])
  if (parseDuration(text) !== undefined) {
    const message = `A duration is valid only with age(). For a relative time, write -${text} or +${text}. For a string, write ${quoted}`
    return rejectWith(resolving, value, message)
  }
  if (isOtherNumber(text)) {
    const message = `${abbreviate(text)} is compared as a string. To compare it as a number, write only digits, with a minus sign and a fraction if needed, such as -0.5.`
    warn(resolving, value, message, replace(value, quoted))
  } else if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const message = `${abbreviate(text)} is compared as a string, because it is neither a date nor a time with a zone, such as 2026-11-20T08:30:00Z.`
    warn(resolving, value, message, replace(value, quoted))
  }
  return string
}

/** Resolves a number. Rejects a number that looks like a version, because as a number, 2.10 is less than 2.9. */
function resolveNumber(resolving: Resolving, subject: Subject, value: Value): Literal | undefined {
  const text = value.parts[0]!
  const { hasVersions } = resolving.options
  const isVersion =
    endsInZero(text) ||
    (hasFraction(text) && subject.type === 'attribute' && (hasVersions?.(joinAttributeName(subject.name)) ?? false))
  if (!isVersion) return { type: 'number', decimal: text }
  const quoted = quote([text])
  const shortest = abbreviate(shortestNumber(text))
  const message = `${abbreviate(text)} looks like a version. As a number, it equals ${shortest}. For a version, write ${abbreviate(quoted)}`
  return rejectWith(resolving, value, message, replace(value, quoted))
}
