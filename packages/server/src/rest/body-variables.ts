import { isUtf8 } from 'node:buffer'
import { badInput } from '../errors.ts'
import { parseJson } from '../graphql/transport/request-params.ts'
import { HttpError } from '../lib/http-error.ts'
import { assertComplete, assertKnown, assertType } from './coerce.ts'
import type { Operation } from './operation.ts'

const jsonType = /^application\/json\s*(;\s*charset="?utf-?8"?\s*)?$/i
/** In a merge patch (RFC 7396), null removes a member, as it does in attribute changes. */
const mergePatchType = /^application\/merge-patch\+json\s*$/i

/**
 * Reads the variables in a request body. A missing body counts as an empty object, but is an error if the whole body is
 * the value of one variable.
 */
export function bodyVariables(
  body: Buffer,
  contentType: string | undefined,
  { route, parameters }: Operation,
): Record<string, unknown> {
  if (body.length > 0) assertMediaType(contentType, route.method)
  const value = body.length === 0 ? undefined : parseBody(body)
  if (route.body !== undefined) return wholeBody(value, route.body, parameters)
  const members = value ?? {}
  assertKnown(
    Object.keys(members),
    parameters.map(({ name }) => name),
    ['member of the body', 'members of the body'],
  )
  for (const { name, type } of parameters) if (Object.hasOwn(members, name)) assertType(members[name], type, name)
  assertComplete(members, parameters)
  const missing = route.written?.find((name) => !Object.hasOwn(members, name))
  if (missing !== undefined) throw badInput(`${missing} is missing: pass a value, or null`)
  return members
}

function wholeBody(
  value: Record<string, unknown> | undefined,
  name: string,
  parameters: Operation['parameters'],
): Record<string, unknown> {
  if (value === undefined) throw badInput('the request has no body; send a JSON object')
  for (const parameter of parameters) assertType(value, parameter.type, parameter.name)
  return { [name]: value }
}

function assertMediaType(contentType: string | undefined, method: string): void {
  const type = contentType ?? ''
  if (jsonType.test(type) || (method === 'PATCH' && mergePatchType.test(type))) return
  const message = 'the Content-Type is not supported: send the body as application/json in UTF-8'
  throw new HttpError(415, message, { accept: 'application/json' })
}

function parseBody(body: Buffer): Record<string, unknown> {
  if (!isUtf8(body)) throw badInput('the body is not UTF-8; send JSON in UTF-8')
  const value = parseJson(body.toString('utf8'), 'the body')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badInput('the body must be a JSON object')
  return value as Record<string, unknown>
}
