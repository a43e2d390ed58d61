import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { version } from '../version.ts'
import { schemaPart } from './assemble.ts'
import { storedTimeText, timeText } from './time-text.ts'

const dateTimeForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?))?$/

const wanted = 'an ISO 8601 date-time with its zone, such as 2026-11-20T08:30:00Z, or a date alone'

/**
 * Reads an ISO 8601 date-time with its zone, or a date alone, which is its midnight in UTC. A date-time without a zone is
 * refused: `new Date` would take it for the server's own.
 */
export function parseDateTime(text: string): Date {
  const match = dateTimeForm.exec(text)
  const day = match === null ? undefined : Number(match[3])
  const value = match === null ? new Date(Number.NaN) : new Date(forDate(text))
  // `new Date` rolls 30 February over to March.
  const rolledOver =
    match !== null && new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, day)).getUTCDate() !== day
  if (Number.isNaN(value.getTime()) || rolledOver || value.getUTCFullYear() < 1 || value.getUTCFullYear() > 9999) {
    throw new GraphQLError(`${JSON.stringify(text.slice(0, 40))} is not ${wanted}`)
  }
  return value
}

/** As `new Date` reads it: ECMAScript has no comma for a fraction, and no zone of hours alone. */
const forDate = (text: string): string =>
  text
    .toUpperCase()
    .replace(',', '.')
    .replace(/(T.*[+-]\d{2})$/, '$1:00')

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'ISO 8601 date-time. Input may also be a date alone (midnight UTC). Output is always UTC with milliseconds.',
  serialize: (value) => (typeof value === 'string' ? storedTimeText(value) : timeText(value as Date)),
  parseValue(value) {
    if (typeof value !== 'string') throw new GraphQLError(`a DateTime is ${wanted}`)
    return parseDateTime(value)
  },
  parseLiteral(node) {
    if (node.kind !== Kind.STRING) throw new GraphQLError(`a DateTime is ${wanted}`)
    return parseDateTime(node.value)
  },
})

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const JsonObject = new GraphQLScalarType<Record<string, unknown>, Record<string, unknown>>({
  name: 'Object',
  description: 'A JSON object.',
  serialize: (value) => value as Record<string, unknown>,
  parseValue(value) {
    if (!isObject(value)) throw new GraphQLError('an Object is a JSON object')
    return value
  },
  parseLiteral(node, variables) {
    if (node.kind !== Kind.OBJECT) throw new GraphQLError('an Object is a JSON object')
    assertNoWords(node)
    return valueFromASTUntyped(node, variables) as Record<string, unknown>
  },
})

/** A word without quotes would be taken for a text. A name that is written twice has been refused by then (UniqueInputFieldNames). */
function assertNoWords(node: ValueNode): void {
  if (node.kind === Kind.ENUM) throw new GraphQLError(`a text is written in quotes: ${JSON.stringify(node.value)}`)
  if (node.kind === Kind.LIST) node.values.forEach(assertNoWords)
  if (node.kind === Kind.OBJECT) for (const { value } of node.fields) assertNoWords(value)
}

export const scalarsPart = schemaPart(new URL('./scalars.graphql', import.meta.url), {
  Query: { version: () => version },
  DateTime,
  Object: JsonObject,
})
