import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'

/** Bodies of this size in total leave memory that is worth releasing. */
const LARGE_BYTES = 16 * 1024 * 1024
/** With bodies of at most this size in total, the large ones are gone. */
const SMALL_BYTES = 1024 * 1024
const CHECK_EVERY_MS = 1_000
/** Consecutive checks that must find the large bodies gone. */
const CHECKS = 5

/**
 * Collects garbage once the large bodies that the server held are gone. V8 would keep their memory until further requests need it
 * (docs/decisions/0007-memory-flags.md). A collection stops the process for about 0.1 s.
 */
export function releaseMemory(app: FastifyInstance, bodyBytes: () => number): void {
  let wasLarge = false
  let checks = 0
  const timer = setInterval(() => {
    const bytes = bodyBytes()
    if (bytes >= LARGE_BYTES) wasLarge = true
    checks = bytes <= SMALL_BYTES ? checks + 1 : 0
    if (!wasLarge || checks < CHECKS) return
    wasLarge = false
    collectGarbage()
  }, CHECK_EVERY_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Also returns free pages to the operating system. */
function collectGarbage(): void {
  // Only contexts that are created after this have the function.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
