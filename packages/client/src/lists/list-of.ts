import type { CallOptions } from '../types.ts'
import { List, type PageOptions } from './list.ts'
import type { FetchedPage } from './pages.ts'

/** Runs a selection of Query. */
export type RunQuery = (selection: object, options: CallOptions) => Promise<Record<string, unknown>>

const USUAL_SIZE = 1_000

interface Question<Item> {
  run: RunQuery
  call: CallOptions
  page: PageOptions
  usualSize?: number
  /** The whole question, given what to ask of the list, and its arguments of the page. */
  ask: (members: object, page: object) => object
  /** The list in the answer. */
  find: (answer: Record<string, unknown>) => unknown
  /** What to ask of each item of the API's list. */
  items: object
  /** The items that come of those, where they are others. */
  toItems?: (items: never[]) => Item[]
  countAll?: () => Promise<number>
}

interface AnsweredList extends FetchedPage<never> {
  total: number
}

/** The list that a question of the API comes to. */
export function listOf<Item>(question: Question<Item>): List<Item> {
  const { run, call, ask, find, items, page, toItems = (found: never[]) => found as Item[] } = question
  const usualSize = question.usualSize ?? USUAL_SIZE
  return new List<Item>({
    page,
    usualSize,
    // Where an item of the API's list may come to none, one at a time could take long.
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

/** Takes the options of a list apart: how to call, which page, what to ask, and which items. */
export function partsOf(options: PageOptions & CallOptions & { select?: unknown }): Parts {
  const { size, after, signal, timeout, retries, select, ...filter } = options
  return { call: { signal, timeout, retries }, page: { size, after }, select: select as object | undefined, filter }
}
