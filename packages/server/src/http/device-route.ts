import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, retryIn } from '../errors.ts'
import { formatApiError, toApiError } from '../graphql/error-mapping.ts'
import { fromTransportError, headersOf } from '../graphql/transport/response.ts'
import type { AddressOf } from '../lib/client-address.ts'
import { parseJsonBody } from '../lib/json-fields.ts'
import { limits } from '../limits.ts'
import { REQUEST_POINTS } from '../rate-limits/point-prices.ts'
import { type Payer, payerOfAddress, payerOfCode, payerOfDevice, type RateLimits } from '../rate-limits/rate-limits.ts'
import { spend } from '../rate-limits/spend-points.ts'
import { type BasicCredentials, readBasicCredentials } from './basic-credentials.ts'
import { createRejectionLog, withoutInput } from './rejection-log.ts'
import { noteCode } from './request-outcome.ts'

/** The `charset` parameter tells clients to encode user names and passwords as UTF-8 (RFC 7617 §2.1). */
const CHALLENGE = 'Basic realm="device", charset="UTF-8"'

export interface DeviceRequest {
  body: unknown
  credentials: BasicCredentials | undefined
  address: string
  /** Charges the known device or registration code, or the address if neither is known. May throw RATE_LIMITED. */
  spend: (known?: { deviceId: string } | { codeId: string }) => void
}

export interface DeviceRoute {
  path: string
  handle: (request: DeviceRequest) => Promise<unknown>
}

export interface DeviceRoutesInput {
  routes: readonly DeviceRoute[]
  rateLimits: RateLimits
  addressOf: AddressOf
}

export function registerDeviceRoutes(app: FastifyInstance, input: DeviceRoutesInput): void {
  const { routes, addressOf } = input
  const logRejection = createRejectionLog(app.log, 'a request from a device was rejected')
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Every body is parsed as JSON, because small devices often send a wrong Content-Type.
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limits.deviceBodyBytes }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    scope.setErrorHandler((error, request, reply) => {
      const apiError = asApiError(error, request)
      noteCode(request, apiError.code)
      const reason = String(apiError.details.reason ?? apiError.code)
      // The log contains neither the query string nor other input, because devices sometimes send secrets in the wrong
      // place.
      const path = request.routeOptions.url
      if (apiError.code !== 'INTERNAL')
        logRejection(reason, { path, address: addressOf(request.raw), message: withoutInput(apiError.message) })
      return reply
        .code(apiError.status)
        .headers(headersOf(apiError, CHALLENGE))
        .send({ errors: [formatApiError(apiError)] })
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
  const charge: DeviceRequest['spend'] = (known) =>
    spend(payerOfDeviceRequest(rateLimits, known, address), REQUEST_POINTS, reply)
  try {
    const body = parseJsonBody(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    const credentials = readBasicCredentials(request.headers.authorization)
    return { body, credentials, address, spend: charge }
  } catch (error) {
    // The address is charged, because an invalid request does not identify the device.
    charge()
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') throw countFailure(error, address, rateLimits)
    throw error
  }
}

/** Counts malformed credentials as a failed attempt. Returns `error`, or RATE_LIMITED after too many failures. */
function countFailure(error: ApiError, address: string, { failures }: RateLimits): ApiError {
  const retryAfter = failures.count(address)
  if (retryAfter === undefined) return error
  const message = `too many invalid credentials from this IP address: ${retryIn(retryAfter)}`
  return new ApiError('RATE_LIMITED', message, { retryAfter })
}

function payerOfDeviceRequest(
  limits: RateLimits,
  known: Parameters<DeviceRequest['spend']>[0],
  address: string,
): Payer {
  if (known === undefined) return payerOfAddress(limits, address)
  return 'deviceId' in known ? payerOfDevice(limits, known.deviceId) : payerOfCode(limits, known.codeId)
}

const asApiError = (error: unknown, request: FastifyRequest): ApiError =>
  toApiError(fromTransportError(error, request.headers, limits.deviceBodyBytes), {
    requestId: request.id,
    onInternal: (fault) => request.log.error({ err: fault }, 'a request failed because of an internal error'),
  })
