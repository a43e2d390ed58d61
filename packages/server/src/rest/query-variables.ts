import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql'
import { badInput } from '../errors.ts'
import { parseJson } from '../graphql/transport/request-params.ts'
import { assertComplete, assertKnown, assertType } from './coerce.ts'
import type { Operation, Parameter } from './operation.ts'

/** Reads the variables in the query string of a GET request. A list is passed as a repeated parameter. */
export function queryVariables(url: string, { parameters }: Operation): Record<string, unknown> {
  const given = readQuery(url)
  const objects = parameters.filter(isJsonObject).map(({ name }) => name)
  const owner = (name: string): string => objects.find((object) => name.startsWith(`${object}.`)) ?? name
  assertKnown(
    given.map(([name]) => owner(name)),
    parameters.map(({ name }) => name),
    ['query parameter of this route', 'query parameters of this route'],
  )
  const variables: Record<string, unknown> = {}
  for (const parameter of parameters) {
    const value = givenValue(parameter, given)
    if (value === undefined) continue
    assertType(value, parameter.type, parameter.name)
    variables[parameter.name] = value
  }
  assertComplete(variables, parameters)
  return variables
}

export function assertNoQuery(url: string): void {
  const [first] = readQuery(url)
  if (first === undefined) return
  throw badInput(
    `${JSON.stringify(first[0].slice(0, 100))} is in the query string: pass the arguments of a change in the path or the body`,
  )
}

/** Decodes a query string as a form (WHATWG URL §5.1), but rejects invalid encodings. */
function readQuery(url: string): [name: string, value: string][] {
  const start = url.indexOf('?')
  if (start < 0) return []
  const pairs = url.slice(start + 1).split('&')
  return pairs.filter(Boolean).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [decode(name), decode(value.join('='))]
  })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badInput('the query string must be percent-encoded UTF-8, such as name=caf%C3%A9')
  }
}

function givenValue(parameter: Parameter, given: readonly [string, string][]): unknown {
  const { name, type } = parameter
  const values = given.filter((pair) => pair[0] === name).map((pair) => pair[1])
  if (isJsonObject(parameter)) return objectValue(name, values, given)
  if (values.length === 0) return undefined
  if (isListType(getNullableType(type))) return values.map((value) => readText(value, type, name))
  return readText(only(values, name), type, name)
}

/** Reads `attributes={"site": "oslo"}`, or one parameter for each member: `attributes.site=oslo`. */
function objectValue(name: string, values: readonly string[], given: readonly [string, string][]): unknown {
  const members = given.filter(([each]) => each.startsWith(`${name}.`))
  if (members.length === 0) return values.length === 0 ? undefined : parseJson(only(values, name), name)
  if (values.length > 0) throw badInput(`pass ${name} as JSON or as ${name}.<name>, not both`)
  const names = members.map(([each]) => each.slice(name.length + 1))
  const duplicate = names.find((each, index) => names.indexOf(each) !== index)
  if (duplicate !== undefined) throw badInput(`${name}.${duplicate} is given twice: pass one value`)
  if (names.includes('__proto__')) throw badInput(`${name}.__proto__ is not allowed: use another name`)
  return Object.fromEntries(members.map(([each, value]) => [each.slice(name.length + 1), value]))
}

function only(values: readonly string[], name: string): string {
  const [value = '', ...more] = values
  if (more.length > 0) throw badInput(`${name} is given ${values.length} times: pass one value`)
  return value
}

const isJsonObject = ({ type }: Parameter): boolean => {
  const named = getNamedType(type)
  return isInputObjectType(named) || (isScalarType(named) && named.name === 'Object')
}

function readText(text: string, type: GraphQLInputType, name: string): unknown {
  switch (getNamedType(type).name) {
    case 'Int':
      if (!/^-?\d{1,10}$/.test(text))
        throw badInput(`${name} must be a whole number of at most 10 digits, not ${shown(text)}`)
      return Number(text)
    case 'Boolean':
      if (text !== 'true' && text !== 'false') throw badInput(`${name} must be true or false, not ${shown(text)}`)
      return text === 'true'
    default:
      return text
  }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100))
