import type { Client, CombinedError } from 'urql'
import { createChangedRows } from './changed-rows.ts'
import { DeviceCountDocument, DevicePageDocument, type DevicePageQuery } from './devices.generated.ts'
import type { DeviceQuery } from './devices-search.ts'
import { isFiltered } from './devices-search.ts'
import { PageCache, type Row } from './page-cache.ts'
import { missingRuns, type PageRun, widened } from './page-runs.ts'

/** The rows of one order and filter, fetched as they come into view. */
export interface DeviceRows {
  readonly query: DeviceQuery
  /** Changes whenever something else does. */
  readonly version: number
  /** Whether the first answer is there. */
  readonly isReady: boolean
  /** How many match; undefined until it is known. */
  readonly total: number | undefined
  /** How many rows the list has, as far as is known. */
  readonly length: number
  /** Rows moved, came or went since they were fetched: the order shown is not that of now. */
  readonly isOutdated: boolean
  readonly error: CombinedError | undefined
  row(index: number): Row | undefined
  /**
   * These rows are in view, the last one not among them. What is missing is asked for: these first, then those around.
   */
  show(from: number, to: number): void
  /** Something happened to these devices. */
  touch(ids: readonly string[]): void
  /** Devices came or went. */
  recount(): void
  retry(): void
  listen(changed: () => void): () => void
  close(): void
}

/** A window shows one page or two, and they are one question. */
const PAGE = 25
const FIRST_PAGES = 2
const MOST_PAGES = 240
/** Of the pages around those in view, so many are one question. */
const MOST_IN_RUN = 4
/** A fast scroll passes over many pages; of those in its way, some are asked for, and those where it ends. */
const SETTLE_MS = 40
const DRAWN_MS = 30
const RECOUNT_AFTER_MS = 1500
/** Beyond the rows in view, so that a slow scroll meets no holes. */
const MARGIN = 40

/** A question on its way. */
interface Asking {
  pages: readonly number[]
  end(): void
}

type Listed = NonNullable<DevicePageQuery['login']>['devices']

const pageOf = (row: number): number => Math.floor(Math.max(0, row) / PAGE)

const numbersOf = (first: number, count: number): number[] =>
  Array.from({ length: Math.max(0, count) }, (_, index) => first + index)

interface Beginning {
  /** How many match, where another order of the same rows told it. */
  total?: number | undefined
}

export function createDeviceRows(client: Client, query: DeviceQuery, beginning: Beginning = {}): DeviceRows {
  const { filter, sort, withAttributes, firstRecord } = query
  const pages = new PageCache(MOST_PAGES)
  const loading = new Map<number, Asking>()
  const listeners = new Set<() => void>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let version = 0
  let total = beginning.total
  let isCounted = false
  /** Rows of the list as it was fetched; what came or went since shows in the total alone. */
  let known: number | undefined
  let seen = 0
  let isOutdated = false
  let error: CombinedError | undefined
  let view = { from: 0, to: PAGE * FIRST_PAGES }
  let isClosed = false
  let isUnsettled = false
  let settling: ReturnType<typeof setTimeout> | undefined
  let recounting: ReturnType<typeof setTimeout> | undefined

  const tell = (): void => {
    version++
    for (const listener of listeners) listener()
  }

  const later = (run: () => void, ms: number): ReturnType<typeof setTimeout> => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, ms)
    timers.add(timer)
    return timer
  }

  const load = ({ first, count: pagesAsked }: PageRun): void => {
    const before = first > 0 ? pages.peek(first - 1)?.cursor : undefined
    const place = before ? { after: before } : { from: first * PAGE + firstRecord }
    const variables = { ...filter, ...place, size: pagesAsked * PAGE, sort, withAttributes }
    const asked = numbersOf(first, pagesAsked)
    const asking = client
      .query(DevicePageDocument, variables, { requestPolicy: 'network-only' })
      .subscribe(({ data, error: failure, stale }) => {
        if (stale) return
        end()
        error = failure
        const list = data?.login?.devices
        if (list !== undefined) keep(first, list)
        tell()
        // What is around is asked for when these are drawn.
        if (list !== undefined) later(loadView, DRAWN_MS)
      })
    // Left open, it would be asked again after each mutation of devices.
    const end = (): void => {
      asking.unsubscribe()
      for (const page of asked) loading.delete(page)
    }
    for (const page of asked) loading.set(page, { pages: asked, end })
  }

  const keep = (first: number, { items, hasMore, cursor }: Listed): void => {
    const count = Math.max(1, Math.ceil(items.length / PAGE))
    for (const [index, page] of numbersOf(first, count).entries()) {
      const rows = items.slice(index * PAGE, (index + 1) * PAGE).map((device) => ({ device }))
      // Of those before the last, no cursor is told.
      pages.put(page, index + 1 < count ? { rows, hasMore: true, cursor: null } : { rows, hasMore, cursor })
    }
    const end = first * PAGE + items.length
    seen = Math.max(seen, end + (hasMore ? 1 : 0))
    if (!hasMore) known = end
    if (!isOutdated) total = known ?? total
  }

  const loadView = (): void => {
    if (isClosed || error !== undefined) return
    const isThere = (page: number): boolean => pages.look(page) !== undefined || loading.has(page)
    const last = pageOf(length() - 1)
    const inView = { first: pageOf(view.from), last: Math.min(last, pageOf(view.to - 1)) }
    const near = { first: pageOf(view.from - MARGIN), last: Math.min(last, pageOf(view.to + MARGIN - 1)) }
    const isNear = (page: number): boolean => page >= near.first && page <= near.last
    for (const asking of new Set(loading.values())) if (!asking.pages.some(isNear)) asking.end()
    for (const run of missingRuns(inView.first, inView.last, isThere)) load(run)
    // The rest is asked for when these are there.
    if (numbersOf(inView.first, inView.last - inView.first + 1).some((page) => loading.has(page))) return
    if (!isCounted) countOnce()
    for (const run of missingRuns(near.first, near.last, isThere))
      load(widened(run, { inView, last, most: MOST_IN_RUN, isThere }))
    changes.askSoon()
  }

  /** Once the first rows are there, which come sooner without it. */
  const countOnce = (): void => {
    isCounted = true
    if (known !== undefined) return
    client
      .query(DeviceCountDocument, filter, { requestPolicy: 'network-only' })
      .toPromise()
      .then(({ data }) => {
        if (isClosed) return
        if (data?.login == null) {
          // The next answer brings another try.
          isCounted = false
          return
        }
        total = data.login.devices.total
        if (known !== undefined && known !== total) isOutdated = true
        known ??= total
        tell()
        loadView()
      })
  }

  const settle = (): void => {
    settling = undefined
    if (!isUnsettled) return
    isUnsettled = false
    loadView()
    settling = later(settle, SETTLE_MS)
  }

  const length = (): number => known ?? Math.max(seen, beginning.total ?? 0)
  const rowAt = (index: number): Row | undefined => pages.peek(pageOf(index))?.rows[index % PAGE]

  const changes = createChangedRows(client, {
    query,
    pages,
    later,
    idsInView() {
      const first = Math.max(0, view.from - MARGIN)
      return numbersOf(first, view.to + MARGIN - first).flatMap((row) => rowAt(row)?.device.id ?? [])
    },
    onChanged(hasMoved) {
      if (isClosed) return
      if (hasMoved) isOutdated = true
      tell()
    },
  })
  load({ first: 0, count: FIRST_PAGES })

  return {
    query,
    get version() {
      return version
    },
    get isReady() {
      return pages.size > 0 || error !== undefined
    },
    get total() {
      return total
    },
    get length() {
      return length()
    },
    get isOutdated() {
      return isOutdated
    },
    get error() {
      return error
    },
    row: rowAt,
    show(from, to) {
      view = { from, to }
      if (settling !== undefined) {
        isUnsettled = true
        return
      }
      loadView()
      settling = later(settle, SETTLE_MS)
    },
    touch(ids) {
      // What is on its way may be from before.
      const known = ids.filter((id) => loading.size > 0 || pages.find(id) !== undefined)
      if (known.length > 0) changes.add(known)
      // A device that is not among the rows may match the filter now.
      else if (isFiltered(filter)) this.recount()
    },
    recount() {
      if (recounting !== undefined) return
      recounting = later(() => {
        recounting = undefined
        const before = total
        client
          .query(DeviceCountDocument, filter, { requestPolicy: 'network-only' })
          .toPromise()
          .then(({ data }) => {
            if (isClosed || data?.login == null) return
            if (data.login.devices.total === before) return
            total = data.login.devices.total
            isOutdated = true
            tell()
          })
      }, RECOUNT_AFTER_MS)
    },
    retry() {
      error = undefined
      loadView()
      tell()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      for (const asking of new Set(loading.values())) asking.end()
    },
  }
}
