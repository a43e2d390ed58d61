import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { isObject } from '../../lib/json-fields.ts'
import { version } from '../../version.ts'
import { schemaPart } from '../assemble.ts'
import { formatStoredTime, formatTime } from './format-timestamps.ts'

const dateTimeForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?))?$/

const wanted =
  'an ISO 8601 date-time with a time zone, such as 2026-11-20T08:30:00Z, or a date alone, in the years 1 to 9999'

/**
 * Parses an ISO 8601 date-time with a time zone, or a date, which means midnight UTC. Throws a GraphQLError for other
 * strings, and for years outside 1 to 9999. A date-time needs a zone, because `new Date` would otherwise use the
 * server's time zone.
 */
export function parseDateTime(text: string): Date {
  const match = dateTimeForm.exec(text)
  const day = match === null ? undefined : Number(match[3])
  const value = match === null ? new Date(Number.NaN) : new Date(forDate(text))
  // `new Date` accepts February 30 as a day in March.
  const rolledOver =
    match !== null && new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, day)).getUTCDate() !== day
  if (Number.isNaN(value.getTime()) || rolledOver || value.getUTCFullYear() < 1 || value.getUTCFullYear() > 9999)
    throw new GraphQLError(`${JSON.stringify(text.slice(0, 40))} is not ${wanted}`)
  return value
}

/** Converts to a format that `new Date` parses: capitals, a point before the fraction, and minutes in the zone. */
const forDate = (text: string): string =>
  text
    .toUpperCase()
    .replace(',', '.')
    .replace(/(T.*[+-]\d{2})$/, '$1:00')

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'An ISO 8601 date and time with a time zone. As input, a date alone is also valid, and means midnight UTC. Output is always in UTC with milliseconds.',
  serialize: (value) => (typeof value === 'string' ? formatStoredTime(value) : formatTime(value as Date)),
  parseValue(value) {
    if (typeof value !== 'string') throw new GraphQLError(`a DateTime must be a string: ${wanted}`)
    return parseDateTime(value)
  },
  parseLiteral(node) {
    if (node.kind !== Kind.STRING) throw new GraphQLError(`a DateTime must be a string in quotes: ${wanted}`)
    return parseDateTime(node.value)
  },
})

const JsonObject = new GraphQLScalarType<Record<string, unknown>, Record<string, unknown>>({
  name: 'Object',
  description: 'A JSON object.',
  serialize: (value) => value as Record<string, unknown>,
  parseValue(value) {
    if (!isObject(value)) throw new GraphQLError('an Object must be a JSON object, such as {"site": "oslo"}')
    return value
  },
  parseLiteral(node, variables) {
    if (node.kind !== Kind.OBJECT)
      throw new GraphQLError('an Object must be an object literal, such as { site: "oslo" }')
    assertNoEnums(node)
    return valueFromASTUntyped(node, variables) as Record<string, unknown>
  },
})

/** Rejects enum literals, which would otherwise become strings. */
function assertNoEnums(node: ValueNode): void {
  if (node.kind === Kind.ENUM)
    throw new GraphQLError(`${node.value} is not a JSON value: write a string in quotes, such as "${node.value}"`)
  if (node.kind === Kind.LIST) node.values.forEach(assertNoEnums)
  if (node.kind === Kind.OBJECT) for (const { value } of node.fields) assertNoEnums(value)
}

export const scalarsPart = schemaPart(new URL('./scalars.graphql', import.meta.url), {
  Query: { version: () => version },
  DateTime,
  Object: JsonObject,
})
