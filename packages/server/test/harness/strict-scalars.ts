import { inspect } from 'node:util'
import { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql'

const isText = (value: unknown): boolean => typeof value === 'string'

const checks: readonly [GraphQLScalarType<unknown>, (value: unknown) => boolean][] = [
  [GraphQLString, isText],
  [GraphQLID, isText],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLFloat, (value) => Number.isFinite(value)],
  [GraphQLInt, (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31],
]

/**
 * Has GraphQL's own scalars refuse what is not already what they bring it to: compiled operations give values as they
 * are, and would give another answer than the plain executor, which has the first use of every document.
 */
export function refuseOtherLeaves(): void {
  for (const [type, isRight] of checks) {
    type.serialize = (value: unknown) => {
      if (!isRight(value)) throw new TypeError(`${type.name} is given ${inspect(value)}`)
      return value
    }
  }
}
