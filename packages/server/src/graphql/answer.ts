import type { IncomingHttpHeaders } from 'node:http'
import type { FormattedExecutionResult } from 'graphql'
import type { Response } from 'graphql-http'
import { ApiError, badInput } from '../errors.ts'
import { limits } from '../limits.ts'
import { MADE } from './change-made.ts'
import { formatApiError } from './error-mapping.ts'
import type { AnswerType } from './media-type.ts'
import { withRawJson } from './raw-json.ts'

/** An answer of GraphQL, or LIMIT_EXCEEDED where it is over the limit of bytes. */
export function jsonAnswer(
  status: number,
  type: AnswerType,
  result: FormattedExecutionResult | { errors: FormattedExecutionResult['errors'] },
  { headers = {}, isChange = false }: { headers?: Record<string, string>; isChange?: boolean } = {},
): Response {
  const text = boundedText(result, { isChange })
  return [
    text instanceof ApiError ? JSON.stringify({ errors: [formatApiError(text)], data: null }) : text,
    { status, statusText: '', headers: { 'content-type': `${type}; charset=utf-8`, ...headers } },
  ]
}

/** The answer to a request that is not executed, with the headers that its code asks for. */
export function errorAnswer(
  error: ApiError,
  type: AnswerType,
  status = error.status,
  headers: Record<string, string> = {},
): Response {
  const text = JSON.stringify({ errors: [formatApiError(error)] })
  const contentType = { 'content-type': `${type}; charset=utf-8` }
  return [text, { status, statusText: '', headers: { ...contentType, ...headersOf(error), ...headers } }]
}

function headersOf({ code, details }: ApiError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (code === 'UNAUTHENTICATED') headers['www-authenticate'] = 'Signature'
  if (typeof details.retryAfter === 'number')
    headers['retry-after'] = String(Math.max(1, Math.ceil(details.retryAfter)))
  return headers
}

/** What an error of HTTP itself, as Fastify names it, means to a caller; any other as it is. */
export function ofTransport(
  error: unknown,
  headers: IncomingHttpHeaders,
  bodyBytes: number = limits.requestBodyBytes,
): unknown {
  if (!(error instanceof Error) || error instanceof ApiError || !('statusCode' in error)) return error
  const { statusCode } = error
  // Its own message repeats the URL whole, with the query, which may hold a secret.
  if ('code' in error && error.code === 'FST_ERR_BAD_URL') return badInput('the path of the URL cannot be decoded')
  if (statusCode === 413) {
    const found = headers['content-length'] ? `has ${headers['content-length']}` : 'has more'
    return new ApiError('LIMIT_EXCEEDED', `the body may have ${bodyBytes} bytes and ${found}`)
  }
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? badInput(error.message) : error
}

/** The text, or undefined where it is longer than a string can be. */
function stringify(result: unknown): string | undefined {
  try {
    return withRawJson(result)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** From here on a text is sent as bytes: Node would join it to the head of the answer, and copy both. */
const COPIED_CHARACTERS = 65_536

export const toSend = (text: string): string | Buffer => (text.length < COPIED_CHARACTERS ? text : Buffer.from(text))

/** An answer as JSON, or LIMIT_EXCEEDED where it is over the limit of bytes, which of a change says that it is made. */
export function boundedText(answer: unknown, { isChange }: { isChange: boolean }): string | ApiError {
  const { answerBytes } = limits
  const text = stringify(answer)
  // A UTF-16 unit is three bytes at most, so that short texts need not be measured.
  if (text !== undefined && (text.length * 3 <= answerBytes || Buffer.byteLength(text) <= answerBytes)) return text
  const found = text === undefined ? 'more' : String(Buffer.byteLength(text))
  const over = `may have ${answerBytes} bytes and would have ${found}`
  return isChange
    ? new ApiError('LIMIT_EXCEEDED', `the change was made; its answer ${over}: ask for less of it`, MADE)
    : new ApiError('LIMIT_EXCEEDED', `the answer ${over}; ask for a smaller size`)
}
