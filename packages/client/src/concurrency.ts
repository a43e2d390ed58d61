export interface ConcurrencyOptions {
  /** Maximum number of items in progress. Default: 4. */
  concurrency?: number | undefined
  /**
   * After this signal aborts, no more items start. Items in progress finish. Then the call throws the signal's reason,
   * unless an item has failed or the call has already reached the end of the items.
   */
  signal?: AbortSignal | undefined
}

/**
 * Calls `work` for items concurrently, and reads the items lazily. After the first failure, starts no more items, waits
 * for items in progress, and throws the failure. Throws TypeError if `concurrency` is not a positive integer.
 *
 * ```ts
 * await forEachConcurrently(ids, (deviceId) => muster.mutations.deleteDevice({ deviceId }), { concurrency: 8 })
 * ```
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => unknown,
  { concurrency = 4, signal }: ConcurrencyOptions = {},
): Promise<void> {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new TypeError('concurrency must be a whole number of at least 1')
  const waiting = toAsyncIterator(items)
  let failure: { error: unknown } | undefined
  let isDone = false
  const fail = (error: unknown): void => {
    failure ??= { error }
  }
  const worker = async (): Promise<void> => {
    while (!isDone && failure === undefined) {
      signal?.throwIfAborted()
      const next = await waiting.next()
      if (next.done) isDone = true
      else if (failure === undefined && !signal?.aborted) await work(next.value)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, () => worker().catch(fail)))
  if (failure !== undefined) {
    if (!isDone) await waiting.return?.()
    throw failure.error
  }
}

/**
 * Returns an async iterator. Calls to `next` may overlap: an async generator queues them, and a synchronous iterator
 * finishes each call before the next one starts.
 */
function toAsyncIterator<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncIterator<Item> {
  if (Symbol.asyncIterator in items) return items[Symbol.asyncIterator]()
  const iterator = items[Symbol.iterator]()
  return {
    next: async () => iterator.next(),
    return: async () => iterator.return?.() ?? { done: true, value: undefined },
  }
}
