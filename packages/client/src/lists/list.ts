import { type FetchPage, loopPages, type Page } from './pages.ts'

/** Where a list begins, and in which steps it is asked for. */
export interface PageOptions {
  /** Items a page, 1 to 1000; pages whose answer would be too big are asked for again with half as many. */
  size?: number | undefined
  /** A cursor to go on from. */
  after?: string | undefined
}

interface Source<Item> {
  fetchPage: FetchPage<Item>
  countAll: () => Promise<number>
  page: PageOptions
  /** Items a page where nothing is said. */
  usualSize: number
  /** Items a page on the way to the first. */
  firstSize: number
}

/**
 * A list that pages by itself, holding one page at a time. Each loop begins anew.
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

  /** The same a page at a time, each with the cursor behind it. */
  pages(): AsyncGenerator<Page<Item>, void, undefined> {
    const { fetchPage, page, usualSize } = this.#source
    return loopPages(fetchPage, { size: page.size ?? usualSize, after: page.after ?? null })
  }

  /** How many there are in all, whatever has been seen. */
  total(): Promise<number> {
    return this.#source.countAll()
  }

  /** The first item, undefined where there is none. */
  async first(): Promise<Item | undefined> {
    const { fetchPage, page, firstSize } = this.#source
    for await (const { items } of loopPages(fetchPage, { size: firstSize, after: page.after ?? null })) {
      if (items.length > 0) return items[0]
    }
    return undefined
  }

  /** All of them at once, for lists that are known to be short. */
  async toArray(): Promise<Item[]> {
    const all: Item[] = []
    for await (const item of this) all.push(item)
    return all
  }
}
