import { isUtf8 } from 'node:buffer'
import { badInput, limitExceeded } from '../errors.ts'

/**
 * Reads the members of a JSON object. Throws BAD_USER_INPUT if a member has the wrong type or a required member is
 * missing. A null member counts as omitted.
 */
export interface JsonFields {
  has(name: string): boolean
  text(name: string): string
  optionalText(name: string): string | undefined
  optionalInteger(name: string): number | undefined
  optionalBoolean(name: string): boolean | undefined
  object(name: string): Record<string, unknown>
  optionalObject(name: string): Record<string, unknown> | undefined
  /** Throws LIMIT_EXCEEDED for more than `max` items. `path` is an item's position, such as `services[2].`. */
  optionalList<Item>(name: string, max: number, read: (item: unknown, path: string) => Item): Item[] | undefined
}

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw badInput('the request has no body; send a JSON object')
  if (!isUtf8(body)) throw badInput('the body is not UTF-8; send JSON in UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw badInput('the body is not valid JSON; send a JSON object')
  }
}

/**
 * Reads an object, and rejects unknown members. In error messages, `path` precedes the name of a member. For the body
 * itself, `path` is empty.
 */
export function readFields(value: unknown, path: string, names: readonly string[]): JsonFields {
  if (!isObject(value)) throw badInput(`${path === '' ? 'the body' : path.slice(0, -1)} must be a JSON object`)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const valid = names.length === 0 ? 'this object must be empty' : `valid names: ${names.join(', ')}`
    throw badInput(`${path}${JSON.stringify(unknown)} is not a known member; ${valid}`)
  }
  return fieldsOf(value, path)
}

function fieldsOf(object: Record<string, unknown>, path: string): JsonFields {
  const member = <Value>(name: string, what: string, is: (value: unknown) => value is Value): Value | undefined => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined
    if (value === undefined || value === null) return undefined
    if (!is(value)) throw badInput(`${path}${name} must be ${what}`)
    return value
  }
  const fields: JsonFields = {
    has: (name) => Object.hasOwn(object, name) && object[name] !== null,
    text(name) {
      const value = fields.optionalText(name)
      if (value === undefined) throw badInput(`${path}${name} is missing; it must be a string`)
      return value
    },
    optionalText: (name) => member(name, 'a string', (value) => typeof value === 'string'),
    optionalInteger: (name) => member(name, 'a whole number', isInteger),
    optionalBoolean: (name) => member(name, 'true or false', (value) => typeof value === 'boolean'),
    object(name) {
      const value = fields.optionalObject(name)
      if (value === undefined) throw badInput(`${path}${name} is missing; it must be a JSON object`)
      return value
    },
    optionalObject: (name) => member(name, 'a JSON object', isObject),
    optionalList(name, max, read) {
      const list = member<unknown[]>(name, 'an array', Array.isArray)
      if (list !== undefined && list.length > max)
        throw limitExceeded(`${path}${name} may have at most ${max} items, found ${list.length}`)
      return list?.map((item, index) => read(item, `${path}${name}[${index}].`))
    },
  }
  return fields
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
