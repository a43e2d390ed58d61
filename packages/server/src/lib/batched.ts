/**
 * Puts single questions together: while one batch is on its way, those that come wait and then go as the next one, each
 * key once. However many ask, one statement runs at a time.
 */
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
        for (const [key, asked] of batch) asked.resolve(found.get(key))
      } catch (error) {
        for (const asked of batch.values()) asked.reject(error)
      }
    }
    running = false
  }

  return (key) => {
    let asked = waiting.get(key)
    if (asked === undefined) {
      asked = Promise.withResolvers<Value | undefined>()
      waiting.set(key, asked)
      if (!running) void run()
    }
    return asked.promise
  }
}
