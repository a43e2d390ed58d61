import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How much there is to do for clients that wait: what can wait gives way to it. */
export interface Load {
  /** For some time already clients have been waiting in a queue, as it were. */
  isHigh(): boolean
}

export interface RequestLoad extends Load {
  /** Counts the requests of this app, but those that last by their nature. */
  count(app: FastifyInstance, isLasting: (request: FastifyRequest) => boolean): void
}

/** Requests under way, on the average: a server that keeps up with its clients has only a few. */
const HIGH = 16
/** The average forgets by a factor of e in this time: a short burst is no load. */
const MEMORY_MS = 1_000

/** `elapsed`: milliseconds that never run backwards. */
export function createRequestLoad(elapsed: () => number = () => performance.now()): RequestLoad {
  let underWay = 0
  let average = 0
  let averagedAt = elapsed()

  /** Takes in the number that has been under way since the last look. */
  const look = (): void => {
    const now = elapsed()
    average += (underWay - average) * (1 - Math.exp((averagedAt - now) / MEMORY_MS))
    averagedAt = now
  }

  const begin = (reply: FastifyReply): void => {
    look()
    underWay++
    // Also of a connection that broke.
    reply.raw.on('close', () => {
      look()
      underWay--
    })
  }

  return {
    isHigh() {
      look()
      return average >= HIGH
    },
    count(app, isLasting) {
      app.addHook('onRequest', (request, reply, done) => {
        if (!isLasting(request)) begin(reply)
        done()
      })
    },
  }
}
