import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { parseRequestParams, type Request, type RequestParams, type Response } from 'graphql-http'
import { ApiError, badInput } from '../../errors.ts'

/** An HTTP request as received, with an unparsed body. */
export interface RawRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Returns the GraphQL request in an HTTP request, or the response if there is none. Throws BAD_USER_INPUT for a malformed
 * request, and PERSISTED_QUERY_NOT_FOUND for one with the hash of a query instead of the query.
 */
export function readRequestParams(raw: RawRequest): RequestParams | Promise<RequestParams | Response> {
  if (raw.method === 'GET') assertParameters(raw.url)
  const body = raw.method === 'POST' && isJson(raw.headers) ? parseBody(raw.body) : null
  // A shortcut for nearly every request: calling graphql-http takes longer than parsing the body.
  if (body !== null && raw.headers['content-type'] === 'application/json' && isParams(body)) return body
  if (body !== null) assertQuery(body.query, body.extensions)
  // graphql-http accepts an object as a parsed body; only its type excludes null.
  return parseRequestParams({ ...raw, body, raw: undefined, context: undefined } as Request<undefined, undefined>)
}

const isJson = (headers: IncomingHttpHeaders): boolean =>
  (headers['content-type'] ?? '').toLowerCase().trimStart().startsWith('application/json')

const isParams = (body: object): body is RequestParams =>
  'query' in body && typeof body.query === 'string' && Object.entries(body).every(isMember)

/** Whether graphql-http would accept this member. Members with other names are accepted with any value. */
function isMember([name, value]: [string, unknown]): boolean {
  if (name === 'operationName') return value === null || typeof value === 'string'
  if (name === 'variables' || name === 'extensions') return typeof value === 'object' && !Array.isArray(value)
  return true
}

function parseBody(body: Buffer): Record<string, unknown> {
  if (body.length === 0) throw badInput('the request has no body; send a JSON object with "query"')
  if (!isUtf8(body)) throw badInput('the body is not UTF-8')
  const value = parseJson(body.toString('utf8'), 'the body')
  if (Array.isArray(value)) throw badInput('the body is an array; send one operation per request')
  if (typeof value !== 'object' || value === null) throw badInput('the body must be a JSON object with "query"')
  return value as Record<string, unknown>
}

function assertParameters(url: string): void {
  const search = url.indexOf('?')
  if (search < 0) return
  const parameters = new URLSearchParams(url.slice(search))
  const variables = parameters.get('variables')
  if (variables) parseJson(variables, 'the parameter variables')
  const extensions = parameters.get('extensions')
  if (extensions) assertQuery(parameters.get('query'), parseJson(extensions, 'the parameter extensions'))
}

/**
 * Apollo's automatic persisted queries send a hash first, and the query only if the server does not know the hash. Clients
 * recognize the message or the code.
 */
function assertQuery(query: unknown, extensions: unknown): void {
  if (query || typeof extensions !== 'object' || extensions === null || !('persistedQuery' in extensions)) return
  throw new ApiError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')
}

/** A quick check for text that may contain the name, directly or with escapes. */
const mayHoldProto = /__proto__|\\u/

/** Parses JSON. Throws if it contains a member `__proto__` at any depth. */
export function parseJson(text: string, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badInput(`${what} is not valid JSON`)
  }
  if (mayHoldProto.test(text)) assertNoProto(value, what)
  return value
}

/** JSON.parse creates a plain property `__proto__`, but code that copies it by assignment sets the prototype. */
function assertNoProto(root: unknown, what: string): void {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (Object.hasOwn(value, '__proto__')) throw badInput(`${what} has the member "__proto__", which is not allowed`)
    for (const member of Object.values(value)) open.push(member)
  }
}
