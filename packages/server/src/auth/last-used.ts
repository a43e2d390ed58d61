import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../db/database.ts'
import { boundedMap } from '../lib/bounded-map.ts'
import { type KeyUse, writeLastUsed, writeRestrictedLastUsed } from './auth.queries.ts'

const RECORD_EVERY_MS = 60_000
const BATCH_MS = 1_000
const MAX_KEYS = 20_000

export interface LastUsed {
  note(use: KeyUse): void
  close(): Promise<void>
}

/** Records when keys were last used, accurate to the minute. Writes in the background, at most once a second. */
export function createLastUsed(db: Database, log: FastifyBaseLogger): LastUsed {
  const recorded = boundedMap<string, number>(MAX_KEYS)
  let uses: KeyUse[] = []
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = uses
    uses = []
    if (batch.length > 0) writing = writing.then(() => writeOrLog(db, batch, log))
    return writing
  }

  return {
    note(use) {
      const at = use.at.getTime()
      const before = recorded.get(use.key)
      if (before !== undefined && at - before < RECORD_EVERY_MS) return
      recorded.set(use.key, at)
      uses.push(use)
      timer ??= setTimeout(write, BATCH_MS).unref()
    },
    close: write,
  }
}

async function writeOrLog(db: Database, uses: readonly KeyUse[], log: FastifyBaseLogger): Promise<void> {
  try {
    const { false: unrestricted = [], true: restricted = [] } = Object.groupBy(uses, (use) => `${use.isRestricted}`)
    if (unrestricted.length > 0) await writeLastUsed(db, unrestricted)
    if (restricted.length > 0) await writeRestrictedLastUsed(db, restricted)
  } catch (error) {
    log.warn({ err: error, keys: uses.length }, 'cannot record when access keys were last used')
  }
}
