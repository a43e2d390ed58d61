import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { formatApiError } from '../graphql/error-mapping.ts'
import type { AddressRange } from '../lib/address-range.ts'
import type { Metrics } from '../metrics.ts'

export interface MetricsRouteOptions {
  metrics: Metrics
  /**
   * The bearer token that requests must contain. If undefined, only local programs can read the metrics. They must use
   * localhost or a loopback address, and no proxy may be in front of the server.
   */
  metricsToken: string | undefined
  /** If set, clients reach the server at another address, usually a proxy's. */
  publicUrl: string | undefined
  trustedProxies: readonly AddressRange[]
}

export function registerMetrics(app: FastifyInstance, options: MetricsRouteOptions): void {
  const { metrics, metricsToken: token } = options
  app.get('/metrics', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const rejection = token === undefined ? rejectRemote(request, options) : rejectWithoutToken(token, request)
    if (rejection !== undefined) {
      if (rejection.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer realm="metrics"')
      return reply.code(rejection.status).send({ errors: [formatApiError(rejection)] })
    }
    const { type, text } = await metrics.text()
    return reply.type(type).send(text)
  })
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Matches the names of headers that proxies add. A request with such a header counts as remote. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * Returns an error if the request may be remote; otherwise, undefined. A proxy's request can look like a local
 * program's, so any sign of a proxy makes the request count as remote.
 */
function rejectRemote(
  request: FastifyRequest,
  { publicUrl, trustedProxies }: MetricsRouteOptions,
): ApiError | undefined {
  const { headers, hostname, socket } = request
  const hasProxy =
    publicUrl !== undefined || trustedProxies.length > 0 || Object.keys(headers).some((name) => FORWARDED.test(name))
  if (!hasProxy && isLoopback(socket.remoteAddress ?? '') && (hostname === 'localhost' || isLoopback(hostname)))
    return undefined
  return new ApiError(
    'FORBIDDEN',
    'without MUSTER_METRICS_TOKEN, only programs on this machine can read the metrics, at localhost or a loopback address and not through a proxy; if MUSTER_PUBLIC_URL or MUSTER_TRUSTED_PROXIES is set, no program can: set MUSTER_METRICS_TOKEN',
  )
}

const isLoopback = (address: string): boolean => {
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 && loopback.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

function rejectWithoutToken(token: string, { headers }: FastifyRequest): ApiError | undefined {
  const sent = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (sent !== undefined && timingSafeEqual(digest(sent), digest(token))) return undefined
  return new ApiError(
    'UNAUTHENTICATED',
    'the metrics require the header "Authorization: Bearer <token>", with the token from MUSTER_METRICS_TOKEN',
  )
}

/** Hashes a token, because `timingSafeEqual` requires inputs of equal length. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
