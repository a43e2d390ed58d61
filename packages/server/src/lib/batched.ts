/** Loads values in batches, one batch at a time. Keys that are requested during a batch form the next one. */
export function batched<Value>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<Value | undefined>>()
  let running = false

  const run = async (): Promise<void> => {
    running = true
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
      try {
        const found = await load([...batch.keys()])
        for (const [key, result] of batch) result.resolve(found.get(key))
      } catch (error) {
        for (const result of batch.values()) result.reject(error)
      }
    }
    running = false
  }

  return (key) => {
    let result = waiting.get(key)
    if (result === undefined) {
      result = Promise.withResolvers<Value | undefined>()
      waiting.set(key, result)
      if (!running) void run()
    }
    return result.promise
  }
}
