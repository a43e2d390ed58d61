import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import type { Secrets } from '../secrets.ts'
import { followMasterKey } from './master-key.ts'

const CHECK_EVERY_MS = 1_000

/** Switches a running server to the new master key soon after a rotation begins. */
export function watchMasterKey(db: Database, secrets: Secrets, log: FastifyBaseLogger): { close(): Promise<void> } {
  let isClosed = false
  let checking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  let reported: string | undefined

  const check = async (): Promise<void> => {
    try {
      const before = secrets.checkValue
      await followMasterKey(db, secrets)
      if (secrets.checkValue !== before) log.info('switched to another master key')
      reported = undefined
    } catch (error) {
      const { message } = error as Error
      if (!isClosed && message !== reported)
        log.warn({ reason: message }, 'cannot check for a new master key or switch to it; retrying')
      reported = message
    }
    if (!isClosed) wait()
  }
  const wait = (): void => {
    timer = setTimeout(() => {
      checking = check()
    }, CHECK_EVERY_MS).unref()
  }
  wait()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await checking
    },
  }
}
