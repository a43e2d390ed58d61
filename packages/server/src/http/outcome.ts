import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorCodes } from '../errors.ts'
import { createSlot } from '../lib/slot.ts'

/** Ways in, as far as they take their own time. Subscriptions and downloads last, by their nature. */
export type RequestKind = 'query' | 'mutation' | 'subscription' | 'rest' | 'device' | 'sign-in' | 'download' | 'other'

/** What is told of a request in metrics, traces and the log: of what it brought nothing but what the schema or a route calls it. */
export interface Outcome {
  kind: RequestKind
  operation: string
  /** Of HTTP; 0 where the client left before the answer. */
  status: number
  /** `GONE`: the client left before it could be told whether it went well. */
  code: ErrorCode | 'OK' | 'GONE'
}

interface Noted {
  kind?: RequestKind
  operation?: string
  code?: ErrorCode
}

const noted = createSlot<FastifyRequest, Noted>('outcome')

function notedOf(request: FastifyRequest): Noted {
  let found = noted.get(request)
  if (found === undefined) {
    found = {}
    noted.set(request, found)
  }
  return found
}

/** Says what a request asks for, where its route does not. */
export function noteOperation(request: FastifyRequest, kind: RequestKind, operation: string): void {
  const found = notedOf(request)
  found.kind = kind
  found.operation = operation
}

/** Says what a request failed by, where the status of its answer does not. */
export function noteCode(request: FastifyRequest, code: unknown): void {
  notedOf(request).code = typeof code === 'string' && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'INTERNAL'
}

/** Once a request was answered, or its connection has gone. */
export function outcomeOf(request: FastifyRequest, reply: FastifyReply): Outcome {
  const { kind, operation, code } = noted.get(request) ?? {}
  const status = reply.raw.headersSent ? reply.raw.statusCode : 0
  const called = operation ?? routeOf(request)
  return {
    kind: kind ?? kindOf(called),
    operation: called,
    status,
    code: code ?? codeOfStatus(status),
  }
}

/** As it is registered; what nothing is registered for has one name. */
export const routeOf = ({ method, routeOptions: { url } }: FastifyRequest): string =>
  url === undefined || url.endsWith('*') ? 'other' : `${method} ${url}`

const kinds: readonly [prefix: string, kind: RequestKind][] = [
  ['/rest/', 'rest'],
  ['/devices/', 'device'],
  ['/auth/', 'sign-in'],
  ['/events/', 'download'],
  ['/graphql/v1/stream', 'subscription'],
]

function kindOf(route: string): RequestKind {
  const path = route.slice(route.indexOf(' ') + 1)
  return kinds.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other'
}

/** Statuses that one code alone has; a code that shares its status is noted by who answers so. */
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
