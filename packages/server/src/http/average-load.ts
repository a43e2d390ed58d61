import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onceResponseEnds } from './responses/response-end.ts'

export interface Load {
  /** Returns whether many requests have been in flight for some time. */
  isHigh(): boolean
}

export interface RequestLoad extends Load {
  count(app: FastifyInstance, isLongLived: (request: FastifyRequest) => boolean): void
}

/** The load is high if this many requests are in flight on average. A server that keeps up has only a few in flight. */
const HIGH_LOAD = 16
/**
 * The time constant, in milliseconds, of the exponential moving average. It is so long that a short burst does not
 * count as high load.
 */
const TIME_CONSTANT_MS = 1_000

/** `elapsed` returns a monotonic time in milliseconds. */
export function createRequestLoad(elapsed: () => number = () => performance.now()): RequestLoad {
  let inFlight = 0
  let average = 0
  let updatedAt = elapsed()

  /** Updates the average. Since the last update, the number of requests in flight has been constant. */
  const update = (): void => {
    const now = elapsed()
    average += (inFlight - average) * (1 - Math.exp((updatedAt - now) / TIME_CONSTANT_MS))
    updatedAt = now
  }

  const begin = (reply: FastifyReply): void => {
    update()
    inFlight++
    onceResponseEnds(reply, () => {
      update()
      inFlight--
    })
  }

  return {
    isHigh() {
      update()
      return average >= HIGH_LOAD
    },
    count(app, isLongLived) {
      app.addHook('onRequest', (request, reply, done) => {
        if (!isLongLived(request)) begin(reply)
        done()
      })
    },
  }
}
