import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { errorAnswer } from '../graphql/answer.ts'
import { negotiate } from '../graphql/media-type.ts'
import { createStanding } from './standing.ts'
import { createTurns } from './turns.ts'

export interface OverloadOptions {
  config: Pick<Config, 'mostRequests' | 'mostStanding' | 'mostLag'>
  /** Paths that tell of the server's state, and must go on doing so. */
  isSpared: (path: string) => boolean
  /** Requests whose answers last by their nature. Judged by their route: their path may be written in more than one way. */
  isLasting: (request: FastifyRequest) => boolean
  /** What any answer to a request carries. */
  headersOf: (request: FastifyRequest) => Readonly<Record<string, string>>
  /** Told of what was turned away. */
  onShed: (reason: ShedReason, request: FastifyRequest) => void
}

export type ShedReason = 'requests' | 'standing' | 'lag'

/** Of the requests that are taken of a burst, those that may stay. */
const STANDING_PART = 5
const LOOK_EVERY_MS = 1_000
const RESOLUTION_MS = 50
/** Delays that must be seen before they count: a process that was stopped for a while shows one long one. */
const DELAYS = 3
/** Seconds after which to come back, one of them: not all at the same moment. */
const RETRY_AFTER = [1, 2, 3]

interface Refusal {
  headers: Readonly<Record<string, string>>
  text: string
}

/** Written once: there is no time for more than to send them. */
const refusals: Readonly<Record<ShedReason, readonly Refusal[]>> = {
  requests: refusalsFor('the server has as many requests under way as it takes at a time'),
  standing: refusalsFor('requests have been waiting for each other for seconds'),
  lag: refusalsFor('the server is behind with its work'),
}

function refusalsFor(reason: string): Refusal[] {
  return RETRY_AFTER.map((retryAfter) => {
    const error = new ApiError('UNAVAILABLE', `${reason}: come back in ${retryAfter} s`, { retryAfter })
    const [body, { headers }] = errorAnswer(error, 'application/json')
    const text = String(body)
    return { headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) }, text }
  })
}

/** As other answers to GraphQL requests: what its clients do not know they may not read. */
const contentType = ({ url, headers }: FastifyRequest): string =>
  `${(url.startsWith('/graphql/') && negotiate(headers.accept)) || 'application/json'}; charset=utf-8`

/**
 * Turns requests away, before anything is done for them, while there is more to do than can be done soon: an answer that says so
 * at once is better than one for which nobody waits any more. To be registered before all that is done for a request. Those taken are
 * begun in turn: many that come together do not hold up such answers. Returns how many requests are under way.
 */
export function shedOverload(app: FastifyInstance, options: OverloadOptions): () => number {
  const { config, isSpared, isLasting, headersOf, onShed } = options
  const underWay = new Set<FastifyRequest>()
  const { mostRequests, mostStanding = Math.ceil(mostRequests / STANDING_PART) } = config
  const standing = createStanding(mostStanding)
  const isBehind = watchLag(app, config.mostLag)
  const inTurn = createTurns()

  const reasonToShed = (): ShedReason | undefined => {
    if (underWay.size >= mostRequests) return 'requests'
    if (underWay.size >= mostStanding && standing.is()) return 'standing'
    return isBehind() ? 'lag' : undefined
  }

  app.addHook('onRequest', (request, reply, done) => {
    const reason = reasonToShed()
    if (reason === undefined || isSpared(request.url)) return done()
    const { headers, text } = refusals[reason][Math.floor(Math.random() * RETRY_AFTER.length)]!
    const all = { ...headersOf(request), ...headers, 'content-type': contentType(request) }
    // Past Fastify and all that is registered with it, which takes longer than everything else.
    reply.hijack()
    reply.raw.writeHead(503, all).end(text)
    onShed(reason, request)
  })
  // From here on its body is there: what takes long now is work, and no slow connection.
  app.addHook('preHandler', (request, _reply, done) => {
    if (isSpared(request.url) || isLasting(request)) return done()
    underWay.add(request)
    standing.now(underWay.size)
    inTurn(done)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (underWay.delete(request)) standing.now(underWay.size)
    done(null, payload)
  })
  return () => underWay.size
}

/** Whether the event loop took longer than this for most of its rounds, of late. */
function watchLag(app: FastifyInstance, mostMs: number): () => boolean {
  if (mostMs === 0) return () => false
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let isBehind = false
  const timer = setInterval(() => {
    if (delays.count < DELAYS) return
    isBehind = delays.percentile(50) > mostMs * 1e6
    delays.reset()
  }, LOOK_EVERY_MS).unref()
  delays.enable()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
  return () => isBehind
}
