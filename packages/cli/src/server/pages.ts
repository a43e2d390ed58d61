/** The maximum size of a page in the API. */
const MAX_PAGE_SIZE = 1_000

/** Returns the page size for a list of at most `limit` rows. One more row shows whether the list is complete. */
export const pageSizeFor = (limit: number): number => Math.min(MAX_PAGE_SIZE, limit + 1)

export interface Page<Item> {
  items: Item[]
  hasMore: boolean
  cursor: string | null
}

/** Yields the items of all pages. `readPage` returns the page after a cursor, or undefined if there is no list. */
export async function* itemsOfPages<Item>(
  readPage: (after: string | undefined) => Promise<Page<Item> | undefined>,
): AsyncGenerator<Item> {
  let after: string | null = null
  do {
    const page = await readPage(after ?? undefined)
    if (page === undefined) return
    yield* page.items
    after = page.hasMore ? page.cursor : null
  } while (after !== null)
}
