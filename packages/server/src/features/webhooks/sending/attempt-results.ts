import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../../db/database.ts'
import { type HealthChange, type Result, writeHealth, writeResults } from './attempt-results.queries.ts'
import { DAYS_OF_FAILURES } from './pause-or-disable.ts'

/** Writes the outcomes of attempts in batches. Each batch contains the outcomes of only one account. */
export interface Results {
  /**
   * Resolves when the outcome has been written. Rejects if `close` discards the outcome. `isHopeless` means that all
   * attempts for the webhook have failed for more than `DAYS_OF_FAILURES` days.
   */
  add(result: Result, health: HealthChange | undefined): Promise<{ isHopeless: boolean }>
  /**
   * Waits until the outcomes are written. If a write fails, discards the remaining outcomes, whose deliveries will then
   * be attempted again.
   */
  close(): Promise<void>
}

interface Entry {
  result: Result
  health: HealthChange | undefined
  written: PromiseWithResolvers<{ isHopeless: boolean }>
}

const BATCH = 500
const RETRY_MS = 500

export function createResults(db: Database, holder: string, log: FastifyBaseLogger): Results {
  const closing = new AbortController()
  let waiting: Entry[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    let isFailing = false
    while (waiting.length > 0) {
      const { accountId } = waiting[0]!.result
      const entries = waiting.filter(({ result }) => result.accountId === accountId).slice(0, BATCH)
      try {
        const hopeless = new Set(await commit(db, accountId, { holder, entries }))
        const isWritten = new Set(entries)
        waiting = waiting.filter((entry) => !isWritten.has(entry))
        for (const { result, written } of entries) written.resolve({ isHopeless: hopeless.has(result.webhookId) })
        if (isFailing) log.info('delivery results can be saved again')
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'cannot save delivery results; retrying')
        isFailing = true
        if (closing.signal.aborted) return
        await sleep(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
    }
  }

  return {
    add(result, health) {
      const written = Promise.withResolvers<{ isHopeless: boolean }>()
      waiting.push({ result, health, written })
      writing ??= Promise.resolve()
        .then(write)
        .finally(() => {
          writing = undefined
        })
      return written.promise
    },
    async close() {
      closing.abort()
      await writing
      for (const { written } of waiting) written.reject(new Error('the server is stopping'))
    },
  }
}

/** Saves a batch. Returns the IDs of webhooks whose attempts have all failed for more than `DAYS_OF_FAILURES` days. */
function commit(
  db: Database,
  accountId: string,
  { holder, entries }: { holder: string; entries: readonly Entry[] },
): Promise<string[]> {
  const latest = new Map(entries.flatMap(({ health }) => (health === undefined ? [] : [[health.webhookId, health]])))
  return db.transaction().execute(async (transaction) => {
    // Lock the rows in the order in which `deleteWebhook` deletes them, to avoid deadlocks.
    const changes = [...latest.values()]
    const hopeless =
      changes.length === 0 ? [] : await writeHealth(transaction, accountId, { changes, holder, days: DAYS_OF_FAILURES })
    await writeResults(
      transaction,
      accountId,
      entries.map(({ result }) => result),
    )
    return hopeless
  })
}
