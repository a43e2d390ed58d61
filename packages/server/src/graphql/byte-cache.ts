/** A map that forgets what was longest unused once its entries, by the sizes they are given, exceed a number of bytes. */
export interface ByteCache<Value> {
  /** The value, which thereby becomes the latest used. */
  get(key: string): Value | undefined
  /** Keeps a value, unless it alone is over a quarter of the whole. Given again with the same key, value and size are replaced. */
  set(key: string, value: Value, bytes: number): void
  readonly bytes: number
  readonly size: number
}

export function createByteCache<Value>(maxBytes: number): ByteCache<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>()
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      // A Map keeps the order of insertion: the first key is the one that was longest unused.
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, bytes) {
      remove(key)
      if (bytes > maxBytes / 4) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break
        remove(oldest)
      }
    },
    get bytes() {
      return total
    },
    get size() {
      return entries.size
    },
  }
}
