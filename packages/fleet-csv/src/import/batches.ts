import { byteLength } from '../byte-length.ts'

/** The API limits a request body to 1 MiB. Batches are smaller, because `sizeOf` does not count all bytes of a body. */
const BYTES = 256 * 1024

/**
 * Divides items into groups of at most `most` items and 256 KiB, as measured by `sizeOf`. A larger item is a group by
 * itself.
 */
export function* batches<Item>(items: Iterable<Item>, most: number, sizeOf: (item: Item) => number): Generator<Item[]> {
  let batch: Item[] = []
  let bytes = 0
  for (const item of items) {
    const size = sizeOf(item)
    if (batch.length > 0 && (batch.length === most || bytes + size > BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

export const jsonBytes = (value: unknown): number => byteLength(JSON.stringify(value))
