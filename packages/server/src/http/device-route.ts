import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { formatApiError, toApiError } from '../graphql/error-mapping.ts'
import { fromTransportError } from '../graphql/transport/answer.ts'
import type { AddressOf } from '../lib/client-address.ts'
import { parseJsonBody } from '../lib/json-fields.ts'
import { limits } from '../limits.ts'
import { REQUEST_POINTS } from '../rate-limits/points.ts'
import { type Payer, payerAt, payerOfCode, payerOfDevice, type RateLimits } from '../rate-limits/rate-limits.ts'
import { spend } from '../rate-limits/spend.ts'
import { type BasicCredentials, readBasicCredentials } from './basic-credentials.ts'
import { noteCode } from './outcome.ts'
import { createRefusalLog, withoutInput } from './refusals.ts'

/** What a device posts. */
export interface DeviceRequest {
  /** The JSON in the body, whatever it is. */
  body: unknown
  credentials: BasicCredentials | undefined
  address: string
  /** Counts it against the device that sent it, or the code; while neither is known, the address. May throw RATE_LIMITED. */
  spend: (known?: { deviceId: string } | { codeId: string }) => void
}

export interface DeviceRoute {
  path: string
  /** What it answers is sent as JSON. */
  handle: (request: DeviceRequest) => Promise<unknown>
}

export interface DeviceRoutesInput {
  routes: readonly DeviceRoute[]
  rateLimits: RateLimits
  addressOf: AddressOf
}

/** Routes that devices post JSON to, in a scope of its own: small bodies, and errors in the form that the whole API has. */
export function registerDeviceRoutes(app: FastifyInstance, input: DeviceRoutesInput): void {
  const { routes, addressOf } = input
  const refused = createRefusalLog(app.log, "a device's request was refused")
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Whatever they call it: what small devices send is seldom labelled well, and is read as JSON or refused.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limits.deviceBodyBytes }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    scope.setErrorHandler((error, request, reply) => {
      const told = toldError(error, request)
      noteCode(request, told.code)
      const reason = String(told.details.reason ?? told.code)
      // Without the query and what else was sent: devices bring secrets, and not always where they belong.
      const path = request.routeOptions.url
      if (told.code !== 'INTERNAL')
        refused(reason, { path, address: addressOf(request.raw), message: withoutInput(told.message) })
      return reply
        .code(told.status)
        .headers(headersOf(told))
        .send({ errors: [formatApiError(told)] })
    })
    for (const { path, handle } of routes) {
      scope.post(path, async (request, reply) => reply.send(await handle(deviceRequest(input, request, reply))))
    }
  })
}

function deviceRequest(
  { rateLimits, addressOf }: DeviceRoutesInput,
  request: FastifyRequest,
  reply: FastifyReply,
): DeviceRequest {
  const address = addressOf(request.raw)
  const pay: DeviceRequest['spend'] = (known) =>
    spend(payerOfDeviceRequest(rateLimits, known, address), REQUEST_POINTS, reply)
  try {
    const body = parseJsonBody(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    const credentials = readBasicCredentials(request.headers.authorization)
    return { body, credentials, address, spend: pay }
  } catch (error) {
    // What cannot be read does not say who sent it.
    pay()
    throw isOfCredentials(error) ? countedFailure(error, address, rateLimits) : error
  }
}

const isOfCredentials = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'UNAUTHENTICATED'

/** Credentials that cannot be read are no better than such as do not hold. */
function countedFailure(error: ApiError, address: string, { failures }: RateLimits): ApiError {
  const retryAfter = failures.count(address)
  if (retryAfter === undefined) return error
  const message = `too many credentials that do not hold: come back in ${retryAfter} seconds`
  return new ApiError('RATE_LIMITED', message, { retryAfter })
}

function payerOfDeviceRequest(
  limits: RateLimits,
  known: Parameters<DeviceRequest['spend']>[0],
  address: string,
): Payer {
  if (known === undefined) return payerAt(limits, address)
  return 'deviceId' in known ? payerOfDevice(limits, known.deviceId) : payerOfCode(limits, known.codeId)
}

const toldError = (error: unknown, request: FastifyRequest): ApiError =>
  toApiError(fromTransportError(error, request.headers, limits.deviceBodyBytes), {
    requestId: request.id,
    onInternal: (fault) => request.log.error({ err: fault }, 'a request failed by a fault of the server'),
  })

/** RFC 9110 §11.6.1, §10.2.3; RFC 7617 §2.1. */
function headersOf({ code, details }: ApiError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (code === 'UNAUTHENTICATED') headers['www-authenticate'] = 'Basic realm="device", charset="UTF-8"'
  if (typeof details.retryAfter === 'number')
    headers['retry-after'] = String(Math.max(1, Math.ceil(details.retryAfter)))
  return headers
}
