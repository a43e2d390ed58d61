import type { CallOptions } from '../types.ts'
import { List, type PageOptions } from './list.ts'
import type { FetchedPage } from './pages.ts'

/** Runs a selection of Query. */
export type RunQuery = (selection: object, options: CallOptions) => Promise<Record<string, unknown>>

const DEFAULT_SIZE = 1_000

interface Question<Item> {
  run: RunQuery
  call: CallOptions
  page: PageOptions
  usualSize?: number
  /** Builds the whole query from the selection of the list and the arguments of the page. */
  ask: (members: object, page: object) => object
  /** Finds the list in the response. */
  find: (answer: Record<string, unknown>) => unknown
  /** The selection for each item of the API's list. */
  items: object
  /** Converts the API's items to other items. */
  toItems?: (items: never[]) => Item[]
  countAll?: () => Promise<number>
}

interface AnsweredList extends FetchedPage<never> {
  total: number
}

/** Creates a list from an API query. */
export function listOf<Item>(question: Question<Item>): List<Item> {
  const { run, call, ask, find, items, page, toItems = (found: never[]) => found as Item[] } = question
  const usualSize = question.usualSize ?? DEFAULT_SIZE
  return new List<Item>({
    page,
    usualSize,
    // If items of the API's list may yield nothing, pages of one item would be slow.
    firstSize: question.toItems === undefined ? 1 : usualSize,
    async fetchPage(size, after) {
      const found = find(await run(ask({ items, hasMore: true, cursor: true }, { size, after }), call)) as AnsweredList
      return { ...found, items: toItems(found.items) }
    },
    async countAll() {
      if (question.countAll !== undefined) return question.countAll()
      return (find(await run(ask({ total: true }, { size: 1 }), call)) as AnsweredList).total
    },
  })
}

interface Parts {
  call: CallOptions
  page: PageOptions
  select: object | undefined
  filter: Record<string, unknown>
}

/** Splits the options of a list into call options, page options, the selection, and the filter. */
export function partsOf(options: PageOptions & CallOptions & { select?: unknown }): Parts {
  const { size, after, signal, timeout, retries, select, ...filter } = options
  return { call: { signal, timeout, retries }, page: { size, after }, select: select as object | undefined, filter }
}
