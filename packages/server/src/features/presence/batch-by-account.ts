import { ApiError } from '../../errors.ts'

const BATCH = 1_000
/** One function writes at most this many batches at the same time, which leaves database connections for requests. */
const MAX_CONCURRENT_ACCOUNTS = 3

export type WriteBatch<Item> = (accountId: string, items: readonly Item[]) => Promise<(ApiError | undefined)[]>

interface Waiting<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Returns a function that writes items in batches. Each batch contains items of one account. Items that arrive while an
 * account's batch is being written go into the account's next batches, in order of arrival. The promise for an item
 * resolves when the item is committed, and rejects if the item was not written.
 */
export function batchByAccount<Item>(write: WriteBatch<Item>): (accountId: string, item: Item) => Promise<void> {
  const queues = new Map<string, Waiting<Item>[]>()
  const ready: string[] = []
  let running = 0

  const start = (): void => {
    while (running < MAX_CONCURRENT_ACCOUNTS && ready.length > 0) {
      running++
      void run(ready.shift()!)
    }
  }

  const run = async (accountId: string): Promise<void> => {
    const queue = queues.get(accountId)!
    await writeTogether(accountId, queue.splice(0, BATCH))
    running--
    if (queue.length > 0) ready.push(accountId)
    else queues.delete(accountId)
    start()
  }

  const writeTogether = async (accountId: string, batch: readonly Waiting<Item>[]): Promise<void> => {
    try {
      const items = batch.map(({ item }) => item)
      const outcomes = await write(accountId, items)
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome instanceof ApiError) reject(outcome)
        else resolve()
      }
    } catch (error) {
      // Write each item separately, because a single item may have caused the error.
      if (batch.length === 1) batch[0]!.reject(error)
      else for (const waiting of batch) await writeTogether(accountId, [waiting])
    }
  }

  return (accountId, item) =>
    new Promise((resolve, reject) => {
      let queue = queues.get(accountId)
      if (queue === undefined) {
        queue = []
        queues.set(accountId, queue)
        ready.push(accountId)
      }
      queue.push({ item, resolve, reject })
      start()
    })
}
