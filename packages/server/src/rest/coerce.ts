import { coerceInputValue, type GraphQLInputType } from 'graphql'
import { badInput } from '../errors.ts'
import type { Parameter } from './operation.ts'

/** Rejects a value of the wrong type and reports its position, such as `services[0].port`. */
export function assertType(value: unknown, type: GraphQLInputType, name: string): void {
  coerceInputValue(value, type, (path, _invalid, error) => {
    const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
    throw badInput(`${name}${place} is invalid: ${error.message}`)
  })
}

export function assertKnown(
  names: Iterable<string>,
  known: readonly string[],
  kind: readonly [one: string, several: string],
): void {
  const unknown = Array.from(new Set(names)).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const shown = unknown.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)))
  const right = known.length === 0 ? 'this route accepts none' : `valid names: ${known.join(', ')}`
  throw badInput(`${shown.join(', ')} ${unknown.length === 1 ? `is not a ${kind[0]}` : `are not ${kind[1]}`}; ${right}`)
}

export function assertComplete(values: Readonly<Record<string, unknown>>, parameters: readonly Parameter[]): void {
  const missing = parameters.find(({ name, isRequired }) => isRequired && !Object.hasOwn(values, name))
  if (missing !== undefined) throw badInput(`${missing.name} is missing; its type is ${missing.type}`)
}
