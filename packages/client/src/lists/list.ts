import { type FetchPage, loopPages, type Page } from './pages.ts'

export interface PageOptions {
  /**
   * Items per page, 1 to 1000. For services, the number of devices per page. Default: 1000, but 200 for services and
   * 100 for deliveries. If a response would be too large, the client requests the page again with half the size.
   */
  size?: number | undefined
  /** Cursor of the page after which the list starts. Default: the beginning. */
  after?: string | undefined
}

interface Source<Item> {
  fetchPage: FetchPage<Item>
  countAll: () => Promise<number>
  page: PageOptions
  defaultSize: number
  firstSize: number
}

/**
 * A list that loads its pages automatically, one at a time. Each loop starts again at the beginning.
 *
 * ```ts
 * for await (const { name } of muster.devices({ state: 'active' })) console.log(name)
 * ```
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #source: Source<Item>

  constructor(source: Source<Item>) {
    this.#source = source
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items
  }

  /** Yields pages, each with the cursor, if any, after which the next page starts. */
  pages(): AsyncGenerator<Page<Item>, void, undefined> {
    const { fetchPage, page, defaultSize } = this.#source
    return loopPages(fetchPage, { size: page.size ?? defaultSize, after: page.after ?? null })
  }

  /** Returns the number of matching items, regardless of `after`. For services, reads the whole list to count them. */
  total(): Promise<number> {
    return this.#source.countAll()
  }

  /** Returns the first item, or undefined if the list is empty. */
  async first(): Promise<Item | undefined> {
    const { fetchPage, page, firstSize } = this.#source
    for await (const { items } of loopPages(fetchPage, { size: firstSize, after: page.after ?? null })) {
      if (items.length > 0) return items[0]
    }
    return undefined
  }

  /** Returns all items in an array. Use only for short lists. */
  async toArray(): Promise<Item[]> {
    const all: Item[] = []
    for await (const item of this) all.push(item)
    return all
  }
}
