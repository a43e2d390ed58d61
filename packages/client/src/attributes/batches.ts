/** A batch is one request, which may have a mebibyte; some of it is left for what stands around the items. */
const BATCH_BYTES = 900_000

/** Groups items as they come, so many a group, and fewer where they are long. */
export async function* batchesOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Item[], void, undefined> {
  let batch: Item[] = []
  let bytes = 0
  for await (const item of items) {
    // A UTF-16 unit is three bytes at most.
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
