import { ApiError } from '../../errors.ts'

const BATCH = 1_000
/** Accounts whose batches are written at a time: some connections to the database stay for requests. */
const AT_A_TIME = 3

/** Writes items of one account together and answers for each how it went. */
export type WriteBatch<Item> = (accountId: string, items: readonly Item[]) => Promise<(ApiError | undefined)[]>

interface Waiting<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Puts what devices say together: while one batch of an account is written, what comes for it waits and goes as the next
 * one, in the order in which it came. The promise is kept once the item is committed.
 */
export function batchByAccount<Item>(write: WriteBatch<Item>): (accountId: string, item: Item) => Promise<void> {
  const queues = new Map<string, Waiting<Item>[]>()
  const ready: string[] = []
  let running = 0

  const start = (): void => {
    while (running < AT_A_TIME && ready.length > 0) {
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
      // One that the database itself refuses must not take the others with it.
      if (batch.length === 1) batch[0]!.reject(error)
      else for (const each of batch) await writeTogether(accountId, [each])
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
