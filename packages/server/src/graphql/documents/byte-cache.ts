/**
 * A cache with a capacity in bytes that evicts the least recently used entries. While the cache is at most half full,
 * reads do not make an entry more recent. Moving an entry costs more than finding it.
 */
export interface ByteCache<Value> {
  get(key: string): Value | undefined
  /**
   * Adds or replaces the key's value. If `bytes`, the size of the new value, is more than a quarter of the capacity,
   * only removes the old value.
   */
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
      if (total > maxBytes / 2) {
        // A Map keeps insertion order. Deleting and setting the entry again makes it the most recently used one.
        entries.delete(key)
        entries.set(key, entry)
      }
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
