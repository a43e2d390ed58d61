import type { CallOptions } from '../types.ts'
import { List, type PageOptions } from './list.ts'
import type { FetchedPage } from './pages.ts'

export type RunQuery = (selection: object, options: CallOptions) => Promise<Record<string, unknown>>

const DEFAULT_SIZE = 1_000

interface ListQuery<Item> {
  run: RunQuery
  call: CallOptions
  page: PageOptions
  defaultSize?: number
  /** Builds the whole query from the list's selection and the page's arguments. */
  buildQuery: (members: object, page: object) => object
  find: (response: Record<string, unknown>) => unknown
  items: object
  /** Converts the API's items to the items of the list. */
  toItems?: (items: never[]) => Item[]
  countAll?: () => Promise<number>
}

interface ListResponse extends FetchedPage<never> {
  total: number
}

export function listOf<Item>(query: ListQuery<Item>): List<Item> {
  const { run, call, buildQuery, find, items, page, toItems = (found: never[]) => found as Item[] } = query
  const defaultSize = query.defaultSize ?? DEFAULT_SIZE
  return new List<Item>({
    page,
    defaultSize,
    // Use full pages if an API item may contain no list items, such as a device without services. With pages of one
    // device, finding the first service could take many requests.
    firstSize: query.toItems === undefined ? 1 : defaultSize,
    async fetchPage(size, after) {
      const found = find(
        await run(buildQuery({ items, hasMore: true, cursor: true }, { size, after }), call),
      ) as ListResponse
      return { ...found, items: toItems(found.items) }
    },
    async countAll() {
      if (query.countAll !== undefined) return query.countAll()
      return (find(await run(buildQuery({ total: true }, { size: 1 }), call)) as ListResponse).total
    },
  })
}

interface Parts {
  call: CallOptions
  page: PageOptions
  select: object | undefined
  filter: Record<string, unknown>
}

export function partsOf(options: PageOptions & CallOptions & { select?: unknown }): Parts {
  const { size, after, signal, timeout, retries, select, ...filter } = options
  return { call: { signal, timeout, retries }, page: { size, after }, select: select as object | undefined, filter }
}
