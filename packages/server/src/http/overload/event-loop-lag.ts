import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

const CHECK_EVERY_MS = 1_000
const RESOLUTION_MS = 50
/** Delays that must be measured before they count: a process that was stopped for a while shows one long delay. */
const DELAYS = 3

/** Returns whether most recent iterations of the event loop took longer than this. 0 switches it off. */
export function watchLag(app: FastifyInstance, limitMs: number): () => boolean {
  if (limitMs === 0) return () => false
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let isLagging = false
  const timer = setInterval(() => {
    if (delays.count < DELAYS) return
    isLagging = delays.percentile(50) > limitMs * 1e6
    delays.reset()
  }, CHECK_EVERY_MS).unref()
  delays.enable()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
  return () => isLagging
}
