import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { createTurns } from './turns.ts'

export interface OverloadOptions {
  config: Pick<Config, 'mostRequests' | 'mostLag'>
  /** Paths that tell of the server's state, and must go on doing so. */
  isSpared: (path: string) => boolean
  /** Requests whose answers last by their nature. Judged by their route: their path may be written in more than one way. */
  isLasting: (request: FastifyRequest) => boolean
  /** Told of what was turned away. */
  onShed: (reason: ShedReason) => void
}

export type ShedReason = 'requests' | 'lag'

const LOOK_EVERY_MS = 1_000
const RESOLUTION_MS = 50
/** Delays that must be seen before they count: a process that was stopped for a while shows one long one. */
const DELAYS = 3
/** Seconds after which to come back, one of them: not all at the same moment. */
const RETRY_AFTER = [1, 2, 3]

/** Made once: to make an error takes a fifth of the time in which a request is turned away. */
const refusals: Readonly<Record<ShedReason, ApiError[]>> = {
  requests: refusalsFor('the server has as many requests under way as it takes at a time'),
  lag: refusalsFor('the server is behind with its work'),
}

function refusalsFor(reason: string): ApiError[] {
  return RETRY_AFTER.map(
    (retryAfter) => new ApiError('UNAVAILABLE', `${reason}: come back in ${retryAfter} s`, { retryAfter }),
  )
}

/**
 * Turns requests away, before anything is done for them, while there is more to do than can be done soon: an answer that says so
 * at once is better than one for which nobody waits any more. Those taken are begun in turn: many that come together do not hold up
 * such answers. Returns how many requests are under way.
 */
export function shedOverload(app: FastifyInstance, options: OverloadOptions): () => number {
  const { config, isSpared, isLasting, onShed } = options
  const underWay = new Set<FastifyRequest>()
  const isBehind = watchLag(app, config.mostLag)
  const inTurn = createTurns()

  const reasonToShed = (): ShedReason | undefined => {
    if (underWay.size >= config.mostRequests) return 'requests'
    return isBehind() ? 'lag' : undefined
  }

  app.addHook('onRequest', ({ url }, _reply, done) => {
    const reason = reasonToShed()
    if (reason === undefined || isSpared(url)) return done()
    onShed(reason)
    done(refusals[reason][Math.floor(Math.random() * RETRY_AFTER.length)])
  })
  // From here on its body is there: what takes long now is work, and no slow connection.
  app.addHook('preHandler', (request, _reply, done) => {
    if (isSpared(request.url) || isLasting(request)) return done()
    underWay.add(request)
    inTurn(done)
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    underWay.delete(request)
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
