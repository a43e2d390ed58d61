import { inspect } from 'node:util'
import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql'

const isString = (value: unknown): boolean => typeof value === 'string'

const checks: readonly [GraphQLScalarType<unknown>, (value: unknown) => boolean][] = [
  [GraphQLString, isString],
  [GraphQLID, isString],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLFloat, (value) => Number.isFinite(value)],
  [GraphQLInt, (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31],
]

/**
 * Makes the built-in scalar types reject values that graphql-js would convert. Compiled operations do not convert
 * values, so their responses would differ.
 */
export function rejectInexactScalars(): void {
  for (const [type, isRight] of checks) {
    type.serialize = (value: unknown) => {
      if (!isRight(value)) throw new TypeError(`${type.name} cannot represent ${inspect(value)}`)
      return value
    }
  }
}
