import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { errorResponse } from '../../graphql/transport/answer.ts'
import { negotiate } from '../../graphql/transport/media-type.ts'

/** Seconds after which to retry, one of them at random: not all clients at the same moment. */
const RETRY_AFTER = [1, 2, 3]

interface Refusal {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

/** Rejects a request without reading its body. */
export type Refuse<Reason extends string> = (reason: Reason, request: FastifyRequest, reply: FastifyReply) => void

/** The responses are written once, and sent past Fastify and everything registered with it: that would take longer than all the rest. */
export function prepareRefusals<Reason extends string>(
  messages: Readonly<Record<Reason, string>>,
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>,
  code: ErrorCode = 'UNAVAILABLE',
): Refuse<Reason> {
  const prepared = Object.fromEntries(
    Object.entries<string>(messages).map(([reason, message]) => [reason, RETRY_AFTER.map(refusalWith(code, message))]),
  ) as Record<Reason, Refusal[]>
  return (reason, request, reply) => {
    const { status, headers, text } = prepared[reason][Math.floor(Math.random() * RETRY_AFTER.length)]!
    const all = { ...headersOf(request), ...headers, 'content-type': contentType(request) }
    reply.hijack()
    reply.raw.writeHead(status, all).end(text)
  }
}

const refusalWith =
  (code: ErrorCode, message: string) =>
  (retryAfter: number): Refusal => {
    const error = new ApiError(code, `${message}: retry in ${retryAfter} s`, { retryAfter })
    const [body, { headers, status }] = errorResponse(error, 'application/json')
    const text = String(body)
    return { status, headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) }, text }
  }

/** The media type that the client understands. */
const contentType = ({ url, headers }: FastifyRequest): string =>
  `${(url.startsWith('/graphql/') && negotiate(headers.accept)) || 'application/json'}; charset=utf-8`
