import { LimitExceededError, QueryTooComplexError } from '../errors.ts'

/** A page of a list. */
export interface Page<Item> {
  items: Item[]
  /** Given to `after`, goes on behind this page; null on an empty one. */
  cursor: string | null
}

export interface FetchedPage<Item> extends Page<Item> {
  hasMore: boolean
}

export type FetchPage<Item> = (size: number, after: string | null) => Promise<FetchedPage<Item>>

/** Pages by cursor, which marks the place itself: items that go or move meanwhile neither end nor derail the loop. */
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

/** undefined: the answer would be too big, and a smaller page might not be. */
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
