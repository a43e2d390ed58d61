import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { parseRequestParams, type Request, type RequestParams, type Response } from 'graphql-http'
import { ApiError, badInput } from '../../errors.ts'
import { isObject } from '../../lib/json-fields.ts'
import { assertHasQuery } from './persisted-queries.ts'

export interface RawRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Returns a request's parameters or, for a wrong method or media type, the error response of graphql-http. For a
 * malformed request, throws an error that `asBadRequest` converts to BAD_USER_INPUT. Throws PERSISTED_QUERY_NOT_FOUND
 * for a request that contains a query hash but no query.
 */
export function readRequestParams(raw: RawRequest): RequestParams | Promise<RequestParams | Response> {
  if (raw.method === 'GET') assertParameters(raw.url)
  const body = raw.method === 'POST' && isJson(raw.headers) ? parseBody(raw.body) : null
  // Most clients send valid JSON with exactly this content type. Reading these requests with graphql-http takes longer.
  if (body !== null && raw.headers['content-type'] === 'application/json' && isParams(body)) return body
  if (body !== null) assertHasQuery(body.query, body.extensions)
  // At runtime, graphql-http accepts null as a parsed body. Only the type `Request` excludes null.
  return parseRequestParams({ ...raw, body, raw: undefined, context: undefined } as Request<undefined, undefined>)
}

/** Error messages for requests that graphql-http rejects, keyed by the message of graphql-http. */
const malformed: Readonly<Record<string, string>> = {
  'Invalid query': 'query must be a string that contains the GraphQL document',
  'Invalid variables': 'variables must be a JSON object, such as {"size": 10}',
  'Invalid operationName': 'operationName must be a string',
  'Invalid extensions': 'extensions must be a JSON object',
}

export function asBadRequest(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { message } = error as Error
  return badInput(malformed[message] ?? `the GraphQL request is malformed: ${message}`)
}

const isJson = (headers: IncomingHttpHeaders): boolean =>
  (headers['content-type'] ?? '').toLowerCase().trimStart().startsWith('application/json')

/**
 * Checks that the body has a query, and that `operationName`, `variables`, and `extensions`, if present, have the types
 * that graphql-http requires. Other members can have any value.
 */
const isParams = (body: Record<string, unknown>): body is Record<string, unknown> & RequestParams =>
  typeof body.query === 'string' &&
  body.query !== '' &&
  typeof (body.operationName ?? '') === 'string' &&
  isObjectOrMissing(body.variables) &&
  isObjectOrMissing(body.extensions)

const isObjectOrMissing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value))

const wantedBody = 'a JSON object, such as {"query": "{ version }"}'

function parseBody(body: Buffer): Record<string, unknown> {
  if (body.length === 0) throw badInput(`the request has no body; send ${wantedBody}`)
  if (!isUtf8(body)) throw badInput('the body is not UTF-8; send JSON in UTF-8')
  const value = parseJson(body.toString('utf8'), 'the body')
  if (Array.isArray(value)) throw badInput('the body is an array; send one operation per request')
  if (!isObject(value)) throw badInput(`the body must be ${wantedBody}`)
  return value
}

function assertParameters(url: string): void {
  const search = url.indexOf('?')
  const parameters = new URLSearchParams(search < 0 ? '' : url.slice(search))
  const variables = parameters.get('variables')
  if (variables) parseJson(variables, 'the parameter variables')
  const extensions = parameters.get('extensions')
  assertHasQuery(parameters.get('query'), extensions ? parseJson(extensions, 'the parameter extensions') : undefined)
}

/** Matches any JSON that may contain the name `__proto__`, either directly or with escaped characters. */
const mayContainProto = /__proto__|\\u/

/**
 * Parses JSON. Throws BAD_USER_INPUT if the text is not valid JSON, or if the value contains a member `__proto__` at
 * any depth. `what` names the text in the error message.
 */
export function parseJson(text: string, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badInput(`${what} is not valid JSON`)
  }
  if (mayContainProto.test(text)) assertNoProto(value, what)
  return value
}

/** Code that copies a property `__proto__` by assignment would set the prototype. */
function assertNoProto(root: unknown, what: string): void {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) throw badInput(`${what} must not contain the member "__proto__"`)
    for (const member of Object.values(value)) open.push(member)
  }
}
