import { parseDuration, parseRelativeTime } from '../literals/duration.ts'
import { parseTime } from '../literals/iso-8601.ts'
import { abbreviate } from '../problems.ts'
import type { Value } from '../syntax/tree.ts'
import type { Literal } from './resolved.ts'
import { type Resolving, rejectWith, replace, written } from './resolving.ts'

/** Resolves a value that is compared with a time. `name` is the time's name for messages, such as `created`. */
export function resolveTime(
  resolving: Resolving,
  { name, isEquality }: { name: string; isEquality: boolean },
  value: Value,
): Literal | undefined {
  const text = value.parts.join('*')
  const seconds = value.isQuoted ? undefined : parseRelativeTime(text)
  if (seconds !== undefined) {
    if (!isEquality) return { type: 'relative', seconds }
    const message = `A relative time matches only one millisecond. Use <, <=, >, or >=. To match a whole day, compare ${name} with a date.`
    return rejectWith(resolving, value, message)
  }
  const time = parseTime(text)
  if (time !== undefined) return { type: isEquality && time.isDate ? 'day' : 'time', milliseconds: time.milliseconds }
  if (parseDuration(text) !== undefined) {
    const message = `A duration is valid only with age(). For a relative time, use < or > with -${text} or +${text}`
    return rejectWith(resolving, value, message, isEquality ? null : replace(value, `-${text}`))
  }
  const found = abbreviate(written(resolving, value))
  const message = `${name} is a time. Write a time with a zone (2026-11-20T08:30:00Z), a date (2026-11-20), or, with < or >, a relative time (-2d), not ${found}`
  return rejectWith(resolving, value, message)
}
