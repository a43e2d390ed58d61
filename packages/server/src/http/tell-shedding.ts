import type { FastifyInstance } from 'fastify'
import type { ShedReason } from './overload.ts'

/** Nothing is turned away for so long: then it is over. */
const QUIET_MS = 10_000

/**
 * One line in the log when requests begin to be turned away, and one, with how many it were, when that is over: not one for each,
 * which would be more to do. Returns whom to tell of each.
 */
export function tellShedding(app: FastifyInstance): (reason: ShedReason) => void {
  let shedding: { turnedAway: Record<ShedReason, number>; over: NodeJS.Timeout } | undefined

  function begin(reason: ShedReason) {
    app.log.warn({ reason }, 'requests are turned away: there is more to do than can be done soon')
    return { turnedAway: { requests: 0, standing: 0, lag: 0 }, over: setTimeout(end, QUIET_MS).unref() }
  }

  function end(): void {
    if (shedding === undefined) return
    clearTimeout(shedding.over)
    app.log.info({ turnedAway: shedding.turnedAway }, 'requests are turned away no longer')
    shedding = undefined
  }

  app.addHook('onClose', async () => end())
  return (reason) => {
    shedding ??= begin(reason)
    shedding.turnedAway[reason]++
    shedding.over.refresh()
  }
}
