import { LimitExceededError, QueryTooComplexError } from '../errors.ts'

export interface Page<Item> {
  items: Item[]
  /** Cursor to pass as `after` to continue after this page. Null if the API returned an empty page. */
  cursor: string | null
}

export interface FetchedPage<Item> extends Page<Item> {
  hasMore: boolean
}

export type FetchPage<Item> = (size: number, after: string | null) => Promise<FetchedPage<Item>>

/**
 * Yields pages by cursor. If a page exceeds a limit, that page and all further pages are half as large. A cursor
 * encodes a position in the sort order, so the loop continues even if the item at this position is deleted.
 */
export async function* loopPages<Item>(
  fetchPage: FetchPage<Item>,
  start: { size: number; after: string | null },
): AsyncGenerator<Page<Item>, void, undefined> {
  let { size, after } = start
  for (;;) {
    const page: FetchedPage<Item> | undefined = await fetchIfItFits(fetchPage, size, after)
    if (page === undefined) {
      size = Math.ceil(size / 2)
      continue
    }
    const { items, cursor, hasMore } = page
    yield { items, cursor }
    if (!hasMore || cursor === null) return
    after = cursor
  }
}

/** Fetches a page. Returns undefined if the request exceeds a limit and the page contains more than one item. */
async function fetchIfItFits<Item>(
  fetchPage: FetchPage<Item>,
  size: number,
  after: string | null,
): Promise<FetchedPage<Item> | undefined> {
  try {
    return await fetchPage(size, after)
  } catch (error) {
    const isTooBig = error instanceof LimitExceededError || error instanceof QueryTooComplexError
    if (isTooBig && size > 1) return undefined
    throw error
  }
}
