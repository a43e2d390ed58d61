import type { FastifyInstance } from 'fastify'

export type ShedReason = 'requests' | 'standing' | 'lag'

/** The number of milliseconds without rejected requests after which load shedding counts as ended. */
const QUIET_MS = 10_000

/** Logs only the beginning and the end of load shedding. Call the returned function for each rejected request. */
export function logShedding(app: FastifyInstance): (reason: ShedReason) => void {
  let shedding: { rejected: Record<ShedReason, number>; timer: NodeJS.Timeout } | undefined

  function begin(reason: ShedReason) {
    app.log.warn({ reason }, 'load shedding began: the server is rejecting requests')
    return { rejected: { requests: 0, standing: 0, lag: 0 }, timer: setTimeout(end, QUIET_MS).unref() }
  }

  function end(): void {
    if (shedding === undefined) return
    clearTimeout(shedding.timer)
    app.log.info({ rejected: shedding.rejected }, 'load shedding ended')
    shedding = undefined
  }

  app.addHook('onClose', async () => end())
  return (reason) => {
    shedding ??= begin(reason)
    shedding.rejected[reason]++
    shedding.timer.refresh()
  }
}
