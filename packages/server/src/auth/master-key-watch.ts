import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { followMasterKey } from './master-key.ts'
import type { Secrets } from './secrets.ts'

const LOOK_EVERY_MS = 1_000

/** Has a running server turn to another master key soon after a rotation has. */
export function watchMasterKey(db: Database, secrets: Secrets, log: FastifyBaseLogger): { close(): Promise<void> } {
  let isClosed = false
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  let told: string | undefined

  const look = async (): Promise<void> => {
    try {
      const before = secrets.checkValue
      await followMasterKey(db, secrets)
      if (secrets.checkValue !== before) log.info('turned to another master key')
      told = undefined
    } catch (error) {
      const { message } = error as Error
      if (!isClosed && message !== told) log.warn({ reason: message }, 'the master key cannot be looked at')
      told = message
    }
    if (!isClosed) wait()
  }
  const wait = (): void => {
    timer = setTimeout(() => {
      looking = look()
    }, LOOK_EVERY_MS)
    timer.unref()
  }
  wait()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await looking
    },
  }
}
