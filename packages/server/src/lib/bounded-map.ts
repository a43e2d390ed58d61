/**
 * A map of at most `size` entries: a new entry evicts one that was not used for long. While at most half of the places are in use, a
 * read does not count as use, because moving an entry costs more than finding it.
 */
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
    // A Map keeps the order of insertion, so inserting an entry again makes it the youngest.
    entries.delete(key)
    entries.set(key, value)
    youngest = key
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined && key !== youngest && entries.size > size / 2) put(key, value)
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
