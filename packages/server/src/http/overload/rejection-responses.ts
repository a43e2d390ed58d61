import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode, retryIn } from '../../errors.ts'
import { negotiate } from '../../graphql/transport/media-type.ts'
import { errorResponse } from '../../graphql/transport/response.ts'

/** The possible values of Retry-After, in seconds. Random values keep clients from retrying at the same time. */
const RETRY_AFTER_S = [1, 2, 3]

interface Rejection {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

export type SendRejection<Reason extends string> = (
  reason: Reason,
  request: FastifyRequest,
  reply: FastifyReply,
) => void

/**
 * Prepares the responses to rejected requests once, and returns a function that sends them. These responses bypass
 * Fastify and its hooks, which would take most of the processing time.
 */
export function prepareRejections<Reason extends string>(
  messages: Readonly<Record<Reason, string>>,
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>,
  code: ErrorCode = 'UNAVAILABLE',
): SendRejection<Reason> {
  const prepared = Object.fromEntries(
    Object.entries<string>(messages).map(([reason, message]) => [
      reason,
      RETRY_AFTER_S.map(rejectionWith(code, message)),
    ]),
  ) as Record<Reason, Rejection[]>
  return (reason, request, reply) => {
    const { status, headers, text } = prepared[reason][Math.floor(Math.random() * RETRY_AFTER_S.length)]!
    const all = { ...headersOf(request), ...headers, 'content-type': contentType(request) }
    reply.hijack()
    reply.raw.writeHead(status, all).end(text)
  }
}

const rejectionWith =
  (code: ErrorCode, message: string) =>
  (retryAfter: number): Rejection => {
    const error = new ApiError(code, `${message}: ${retryIn(retryAfter)}`, { retryAfter })
    const [body, { headers, status }] = errorResponse(error, 'application/json')
    const text = String(body)
    return { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) }, text }
  }

const contentType = ({ url, headers }: FastifyRequest): string =>
  `${(url.startsWith('/graphql/') && negotiate(headers.accept)) || 'application/json'}; charset=utf-8`
