import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { formatApiError } from '../graphql/error-mapping.ts'
import type { Metrics } from '../metrics.ts'

export interface MetricsRouteOptions {
  metrics: Metrics
  /** What whoever reads them shows. Undefined: they are for this machine alone. */
  metricsToken: string | undefined
  /** Set where a proxy stands in front, from which everybody comes who does not show a token. */
  publicUrl: string | undefined
}

/** `GET /metrics`, for Prometheus and its kind. */
export function registerMetrics(
  app: FastifyInstance,
  { metrics, metricsToken: token, publicUrl }: MetricsRouteOptions,
): void {
  app.get('/metrics', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const refusal = token === undefined ? refuseOthers(request, publicUrl) : refuseWithout(token, request)
    if (refusal !== undefined) {
      if (refusal.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer realm="metrics"')
      return reply.code(refusal.status).send({ errors: [formatApiError(refusal)] })
    }
    const { type, text } = await metrics.text()
    return reply.type(type).send(text)
  })
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Headers that proxies add: what comes with one comes from elsewhere, whatever connection it is on. */
const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

function refuseOthers(request: FastifyRequest, publicUrl: string | undefined): ApiError | undefined {
  const { headers, hostname, socket } = request
  const isDirect = publicUrl === undefined && !forwarding.some((name) => headers[name] !== undefined)
  if (isDirect && isLoopback(socket.remoteAddress ?? '') && (hostname === 'localhost' || isLoopback(hostname)))
    return undefined
  return new ApiError('FORBIDDEN', 'without MUSTER_METRICS_TOKEN the metrics are for this machine alone, and no proxy')
}

const isLoopback = (address: string): boolean => {
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) !== 0 && loopback.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4')
}

function refuseWithout(token: string, { headers }: FastifyRequest): ApiError | undefined {
  const shown = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (shown !== undefined && timingSafeEqual(digest(shown), digest(token))) return undefined
  return new ApiError('UNAUTHENTICATED', 'the metrics need Authorization: Bearer and the token of MUSTER_METRICS_TOKEN')
}

/** Of one length, whatever it is of. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
