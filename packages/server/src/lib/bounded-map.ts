/** A map of at most `size` entries: a new one pushes out the one that was set or got longest ago. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

export function boundedMap<Key, Value>(size: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>()
  let youngest: Key | undefined
  const put = (key: Key, value: Value): void => {
    // A Map keeps the order of insertion, so putting an entry in anew makes it the youngest.
    entries.delete(key)
    entries.set(key, value)
    youngest = key
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined && key !== youngest) put(key, value)
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
