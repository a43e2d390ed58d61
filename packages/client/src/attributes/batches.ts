/** The server accepts requests of up to 1 MiB. A lower limit for the items leaves room for the rest of the request. */
const BATCH_BYTES = 900_000

export async function* batchesOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Item[], void, undefined> {
  let batch: Item[] = []
  let bytes = 0
  for await (const item of items) {
    // Multiply by 3, because a UTF-16 code unit requires at most 3 bytes in UTF-8.
    const more = JSON.stringify(item).length * 3
    if (batch.length > 0 && (batch.length === size || bytes + more > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += more
  }
  if (batch.length > 0) yield batch
}
