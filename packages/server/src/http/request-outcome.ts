import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorCodes } from '../errors.ts'
import { createSlot } from '../lib/slot.ts'

/** The kinds of requests. Duration metrics exclude subscriptions and downloads, which are long-lived by design. */
export type RequestKind = 'query' | 'mutation' | 'subscription' | 'rest' | 'device' | 'sign-in' | 'download' | 'other'

export interface Outcome {
  kind: RequestKind
  /** The operation's name in metrics and traces. This name comes from the schema or the routes, never from a client. */
  operation: string
  /** The operation's name in the log. A client may have chosen this name. */
  label: string
  /** The HTTP status code, or 0 if the client disconnected before the response began. */
  status: number
  /** `GONE` means that the client disconnected before the response began. */
  code: ErrorCode | 'OK' | 'GONE'
}

type Notes = Partial<Pick<Outcome, 'kind' | 'operation' | 'label'>> & { code?: ErrorCode }

const slot = createSlot<FastifyRequest, Notes>('outcome')

function notesOf(request: FastifyRequest): Notes {
  let notes = slot.get(request)
  if (notes === undefined) {
    notes = {}
    slot.set(request, notes)
  }
  return notes
}

/** Call this if the route alone does not identify the operation. */
export function noteOperation(
  request: FastifyRequest,
  { kind, name, label }: { kind: RequestKind; name: string; label: string },
): void {
  Object.assign(notesOf(request), { kind, operation: name, label } satisfies Notes)
}

/** Call this if the response status does not identify the error code. An unknown code is recorded as `INTERNAL`. */
export function noteCode(request: FastifyRequest, code: unknown): void {
  notesOf(request).code = typeof code === 'string' && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'INTERNAL'
}

/** Call this after the response was sent or the connection closed. */
export function outcomeOf(request: FastifyRequest, reply: FastifyReply): Outcome {
  const { kind, operation, label, code } = slot.get(request) ?? {}
  const status = reply.raw.headersSent ? reply.raw.statusCode : 0
  const name = operation ?? routeOf(request)
  return {
    kind: kind ?? kindOf(name),
    operation: name,
    label: label ?? name,
    status,
    code: code ?? codeOfStatus(status),
  }
}

export const routeOf = ({ method, routeOptions: { url } }: FastifyRequest): string =>
  url === undefined || url.endsWith('*') ? 'other' : `${method} ${url}`

const kinds: readonly [prefix: string, kind: RequestKind][] = [
  ['/rest/', 'rest'],
  ['/devices/', 'device'],
  ['/auth/', 'sign-in'],
  ['/graphql/v1/stream', 'subscription'],
]

function kindOf(route: string): RequestKind {
  const path = route.slice(route.indexOf(' ') + 1)
  if (path.endsWith('.csv')) return 'download'
  return kinds.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other'
}

/** The error codes of HTTP status codes that have only one error code. */
const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'LIMIT_EXCEEDED',
  429: 'RATE_LIMITED',
  431: 'LIMIT_EXCEEDED',
  503: 'UNAVAILABLE',
}

function codeOfStatus(status: number): Outcome['code'] {
  if (status === 0) return 'GONE'
  if (status < 400) return 'OK'
  return codes[status] ?? (status < 500 ? 'BAD_USER_INPUT' : 'INTERNAL')
}
