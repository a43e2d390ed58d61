import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

const CHECK_INTERVAL_MS = 1_000
const RESOLUTION_MS = 50
/**
 * The minimum number of recorded delays for a check. A suspended process records only one long delay, which must not
 * count as load.
 */
const MIN_DELAYS = 3

/**
 * Checks the lag of the event loop every second. The returned function reports whether the median lag exceeded
 * `limitMs` at the latest check. A limit of 0 disables the checks.
 */
export function watchLag(app: FastifyInstance, limitMs: number): () => boolean {
  if (limitMs === 0) return () => false
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let isLagging = false
  const timer = setInterval(() => {
    if (delays.count < MIN_DELAYS) return
    isLagging = delays.percentile(50) > limitMs * 1e6
    delays.reset()
  }, CHECK_INTERVAL_MS).unref()
  delays.enable()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })
  return () => isLagging
}
