import type { IncomingHttpHeaders } from 'node:http'
import type { FormattedExecutionResult } from 'graphql'
import type { ResponseInit } from 'graphql-http'
import { ApiError, badInput, limitExceeded } from '../../errors.ts'
import { BodyPieces, PIECE_BYTES } from '../../http/responses/response-pieces.ts'
import { limits } from '../../limits.ts'
import { OUTCOME_DONE } from '../change-made.ts'
import { formatApiError } from '../error-mapping.ts'
import { type Json, withRawJson } from '../values/raw-json.ts'
import type { ResponseType } from './media-type.ts'

/** Like the `Response` type of graphql-http, but the body can be bytes. */
export type Response = readonly [body: Json | null, init: ResponseInit]

/** Returns a GraphQL response. If it exceeds the maximum size, returns the error LIMIT_EXCEEDED instead. */
export function jsonResponse(
  status: number,
  type: ResponseType,
  result: FormattedExecutionResult | { errors: FormattedExecutionResult['errors'] },
  { headers = {}, isChange = false }: { headers?: Record<string, string>; isChange?: boolean } = {},
): Response {
  const json = limitedJson(result, { isChange })
  return [
    json instanceof ApiError ? JSON.stringify({ errors: [formatApiError(json)], data: null }) : json,
    { status, statusText: '', headers: { 'content-type': `${type}; charset=utf-8`, ...headers } },
  ]
}

export function errorResponse(
  error: ApiError,
  type: ResponseType,
  status = error.status,
  headers: Record<string, string> = {},
): Response {
  const text = JSON.stringify({ errors: [formatApiError(error)] })
  const contentType = { 'content-type': `${type}; charset=utf-8` }
  return [text, { status, statusText: '', headers: { ...contentType, ...headersOf(error, 'Signature'), ...headers } }]
}

/** Returns the headers WWW-Authenticate and Retry-After, if they apply (RFC 9110 §11.6.1, §10.2.3). */
export function headersOf({ code, details }: ApiError, challenge: string): Record<string, string> {
  const headers: Record<string, string> = {}
  if (code === 'UNAUTHENTICATED') headers['www-authenticate'] = challenge
  if (typeof details.retryAfter === 'number')
    headers['retry-after'] = String(Math.max(1, Math.ceil(details.retryAfter)))
  return headers
}

/** Maps a Fastify error with a 4xx status to LIMIT_EXCEEDED (413) or BAD_USER_INPUT. Returns other errors unchanged. */
export function fromTransportError(
  error: unknown,
  headers: IncomingHttpHeaders,
  bodyBytes: number = limits.requestBodyBytes,
): unknown {
  if (!(error instanceof Error) || error instanceof ApiError || !('statusCode' in error)) return error
  const { statusCode } = error
  // Fastify's message repeats the whole URL, whose query string may contain a secret.
  if ('code' in error && error.code === 'FST_ERR_BAD_URL')
    return badInput('the path of the URL must be percent-encoded UTF-8, such as %C3%A9 for é')
  if (statusCode === 413) {
    const found = headers['content-length'] ? `has ${headers['content-length']}` : 'has more'
    return limitExceeded(`the body may have at most ${bodyBytes} bytes, but ${found}`)
  }
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? badInput(error.message) : error
}

/** Returns the JSON, or undefined if it exceeds the maximum length of a string or buffer. */
function stringify(result: unknown): Json | undefined {
  try {
    return withRawJson(result)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Strings of this length or more are sent as bytes, because Node would join them with the headers by copying both. */
const MAX_STRING_LENGTH = 65_536

export function toSend(json: Json): string | Buffer | BodyPieces {
  if (typeof json === 'string') return json.length < MAX_STRING_LENGTH ? json : Buffer.from(json)
  return byteLength(json) <= PIECE_BYTES ? Buffer.concat(json) : new BodyPieces(json)
}

const byteLength = (json: Json): number =>
  typeof json === 'string' ? Buffer.byteLength(json) : json.reduce((sum, part) => sum + part.length, 0)

/**
 * Returns the response as JSON, or the error LIMIT_EXCEEDED if the JSON has more than `answerBytes` bytes. For a
 * mutation, the error states that the change was made.
 */
export function limitedJson(response: unknown, { isChange }: { isChange: boolean }): Json | ApiError {
  const { answerBytes } = limits
  const json = stringify(response)
  // A UTF-16 code unit takes at most three bytes in UTF-8, so most strings do not have to be measured.
  if (typeof json === 'string' && json.length * 3 <= answerBytes) return json
  if (json !== undefined && byteLength(json) <= answerBytes) return json
  const found = json === undefined ? 'more' : String(byteLength(json))
  const over = `may have at most ${answerBytes} bytes, but would have ${found}`
  return isChange
    ? limitExceeded(`the change was made, but the response ${over}: do not repeat the change`, OUTCOME_DONE)
    : limitExceeded(`the response ${over}: request less data, for example with a smaller size`)
}
