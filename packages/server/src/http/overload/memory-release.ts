import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'

/** A collection is worthwhile once requests and responses have reached this total size, in bytes. */
const LARGE_BYTES = 16 * 1024 * 1024
/** A check finds the total size small if it is at most this number of bytes. */
const SMALL_BYTES = 1024 * 1024
const CHECK_INTERVAL_MS = 1_000
/** The number of consecutive checks that must find the total size small before a collection. */
const MIN_CHECKS = 5

/**
 * Collects garbage when requests and responses have become small again. V8 would otherwise keep their memory until
 * later requests need it (docs/decisions/0007-memory-flags.md). A collection blocks the process for about 0.1 s.
 * `bodyBytes` returns the total size of requests in flight and of unread responses.
 */
export function releaseMemory(app: FastifyInstance, bodyBytes: () => number): void {
  let wasLarge = false
  let checks = 0
  const timer = setInterval(() => {
    const bytes = bodyBytes()
    if (bytes >= LARGE_BYTES) wasLarge = true
    checks = bytes <= SMALL_BYTES ? checks + 1 : 0
    if (!wasLarge || checks < MIN_CHECKS) return
    wasLarge = false
    collectGarbage()
  }, CHECK_INTERVAL_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Collects garbage and returns free pages to the operating system. */
function collectGarbage(): void {
  // Only contexts that are created after this call contain the function `gc`.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  // The flavor `last-resort` would also discard compiled code, which would slow down all later requests.
  collect({ type: 'major', execution: 'sync' })
}
