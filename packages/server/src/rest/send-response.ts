import type { FastifyReply } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import { ApiError, type ErrorCode } from '../errors.ts'
import { errorResponse, limitedJson, toSend } from '../graphql/transport/response.ts'
import { HttpError } from '../lib/http-error.ts'
import type { Operation } from './operation.ts'
import { fillPath } from './response-body.ts'
import { statusOf } from './route.ts'
import { statusOfCode } from './statuses.ts'

export function sendResponse(reply: FastifyReply, { route, isChange }: Operation, body: unknown): FastifyReply {
  if (route.status === 204) return reply.code(204).send()
  const json = limitedJson(body, { isChange })
  if (json instanceof ApiError) return sendError(reply, json, statusOfCode(json.code))
  const next = route.method === 'GET' ? nextLink(reply.request.url, body) : undefined
  if (next !== undefined) reply.header('link', `${reply.getHeader('link')}, ${next}`)
  if (route.location !== undefined) reply.header('location', prefixOf(reply) + fillPath(route.location, body))
  return reply.code(statusOf(route)).type('application/json; charset=utf-8').send(toSend(json))
}

/**
 * Returns the value of a Link header for the next page. Returns undefined for the last page and for responses that are
 * not pages.
 */
function nextLink(url: string, body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('hasMore' in body) || !('cursor' in body)) return undefined
  if (body.hasMore !== true || typeof body.cursor !== 'string') return undefined
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const others = query.split('&').filter((pair) => pair !== '' && !startsPage.has(decodeURIComponent(nameIn(pair))))
  const next = `${path}?${[...others, `after=${encodeURIComponent(body.cursor)}`].join('&')}`
  return `<${next.replace(/[<>"\s]/g, encodeURIComponent)}>; rel="next"`
}

const startsPage: ReadonlySet<string> = new Set(['after', 'last', 'from'])

const nameIn = (pair: string): string => pair.split('=', 1)[0] ?? ''

const prefixOf = ({ request }: FastifyReply): string => request.server.prefix

export function sendError(reply: FastifyReply, error: ApiError, status = error.status): FastifyReply {
  const headers = error instanceof HttpError ? error.headers : {}
  const [text, init] = errorResponse(error, 'application/json', status, headers)
  return reply
    .code(init.status)
    .headers({ ...init.headers })
    .send(text)
}

/** Omits locations and paths, because callers do not send the GraphQL document. The first error sets the status. */
export function sendErrors(reply: FastifyReply, errors: readonly GraphQLFormattedError[]): FastifyReply {
  const reported = errors.map(({ message, extensions }) => ({ message, extensions }))
  const [{ extensions } = {}] = reported
  const code = (extensions?.code ?? 'INTERNAL') as ErrorCode
  if (typeof extensions?.retryAfter === 'number')
    reply.header('retry-after', String(Math.max(1, Math.ceil(extensions.retryAfter))))
  return reply
    .code(statusOfCode(code))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ errors: reported }))
}
