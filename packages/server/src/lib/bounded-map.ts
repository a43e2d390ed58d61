/**
 * A map with a maximum number of entries. If it is full, a new entry evicts the least recently used one. While it is at
 * most half full, reads do not count as use.
 */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

export function boundedMap<Key, Value>(size: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>()
  let newest: Key | undefined
  const put = (key: Key, value: Value): void => {
    // A Map iterates in insertion order, so an entry that is deleted and inserted again becomes the newest one.
    entries.delete(key)
    entries.set(key, value)
    newest = key
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined && key !== newest && entries.size > size / 2) put(key, value)
      return value
    },
    set(key, value) {
      put(key, value)
      if (entries.size > size) entries.delete(entries.keys().next().value as Key)
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
