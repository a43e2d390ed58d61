import type { Client, CombinedError } from 'urql'
import { createSignal } from '../../../hooks/signal.ts'
import { DeviceCountDocument, DevicePageDocument, type DevicePageQuery } from '../devices.generated.ts'
import { type DeviceQuery, isFiltered } from '../devices-search.ts'
import { createChangedRows } from './changed-rows.ts'
import { PageCache, type Row } from './page-cache.ts'
import { extendRun, missingRuns, type PageRun } from './page-runs.ts'

/** The rows for a filter and a sort order. Rows are fetched as they come into view. */
export interface DeviceRows {
  readonly query: DeviceQuery
  readonly version: number
  readonly isReady: boolean
  readonly total: number | undefined
  readonly length: number
  /** Whether rows were added, removed, or moved after the list was fetched. */
  readonly isOutdated: boolean
  readonly error: CombinedError | undefined
  row(index: number): Row | undefined
  /**
   * Sets the range of rows in view, where `to` is exclusive. Fetches missing rows: first the rows in view, then the
   * rows around them.
   */
  setView(from: number, to: number): void
  markChanged(ids: readonly string[]): void
  /** Counts the matching devices again after a short delay. */
  recount(): void
  retry(): void
  listen(changed: () => void): () => void
  close(): void
}

/** Number of rows per page. One request can fetch several adjacent pages. */
const PAGE_SIZE = 25
const FIRST_PAGES = 2
const MAX_PAGES = 240
/** Maximum number of pages around the view that one request fetches. */
const MAX_RUN = 4
/** Minimum interval between fetches while the user scrolls, because a fast scroll passes many pages. */
const SCROLL_THROTTLE_MS = 40
/** How long to wait for the browser to render new rows before fetching the rows around them. */
const RENDER_MS = 30
const RECOUNT_DELAY_MS = 1500
/** Number of rows to fetch before and after the rows in view, so that a slow scroll shows no gaps. */
const MARGIN = 40

interface PageRequest {
  pages: readonly number[]
  end(): void
}

type Listed = NonNullable<DevicePageQuery['login']>['devices']

const pageOf = (row: number): number => Math.floor(Math.max(0, row) / PAGE_SIZE)

const range = (first: number, count: number): number[] =>
  Array.from({ length: Math.max(0, count) }, (_, index) => first + index)

interface InitialState {
  total?: number | undefined
}

export function createDeviceRows(client: Client, query: DeviceQuery, initial: InitialState = {}): DeviceRows {
  const { filter, sortBy, withAttributes, firstRecord } = query
  const pages = new PageCache(MAX_PAGES)
  const loading = new Map<number, PageRequest>()
  const updates = createSignal()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let version = 0
  let total = initial.total
  let isCounted = false
  /** Number of rows in the list, if known, from the first count or the last page. `recount` changes only `total`. */
  let fullLength: number | undefined
  let seenLength = 0
  let isOutdated = false
  let error: CombinedError | undefined
  let view = { from: 0, to: PAGE_SIZE * FIRST_PAGES }
  let isClosed = false
  let hasScrolled = false
  let throttleTimer: ReturnType<typeof setTimeout> | undefined
  let recountTimer: ReturnType<typeof setTimeout> | undefined

  const notify = (): void => {
    version++
    updates.announce()
  }

  const schedule = (run: () => void, ms: number): ReturnType<typeof setTimeout> => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, ms)
    timers.add(timer)
    return timer
  }

  const load = ({ first, count }: PageRun): void => {
    const before = first > 0 ? pages.peek(first - 1)?.cursor : undefined
    const position = before ? { after: before } : { from: first * PAGE_SIZE + firstRecord }
    const variables = { ...filter, ...position, size: count * PAGE_SIZE, sortBy, withAttributes }
    const requested = range(first, count)
    const request = client
      .query(DevicePageDocument, variables, { requestPolicy: 'network-only' })
      .subscribe(({ data, error: failure, stale }) => {
        if (stale) return
        end()
        error = failure
        const list = data?.login?.devices
        if (list !== undefined) store(first, list)
        notify()
        // Fetch the rows around the new rows after the browser has rendered the new rows.
        if (list !== undefined) schedule(loadView, RENDER_MS)
      })
    // Close the query, because urql would fetch an open query again after each mutation of devices.
    const end = (): void => {
      request.unsubscribe()
      for (const page of requested) loading.delete(page)
    }
    for (const page of requested) loading.set(page, { pages: requested, end })
  }

  const store = (first: number, { items, hasMore, cursor }: Listed): void => {
    const count = Math.max(1, Math.ceil(items.length / PAGE_SIZE))
    for (const [index, page] of range(first, count).entries()) {
      const rows = items.slice(index * PAGE_SIZE, (index + 1) * PAGE_SIZE).map((device) => ({ device }))
      // Only the last page has a cursor, because the response contains one cursor for all pages.
      pages.put(page, index + 1 < count ? { rows, hasMore: true, cursor: null } : { rows, hasMore, cursor })
    }
    const end = first * PAGE_SIZE + items.length
    seenLength = Math.max(seenLength, end + (hasMore ? 1 : 0))
    if (!hasMore) fullLength = end
    if (!isOutdated) total = fullLength ?? total
  }

  const loadView = (): void => {
    if (isClosed || error !== undefined) return
    const isLoaded = (page: number): boolean => pages.get(page) !== undefined || loading.has(page)
    const last = pageOf(length() - 1)
    const inView = { first: pageOf(view.from), last: Math.min(last, pageOf(view.to - 1)) }
    const near = { first: pageOf(view.from - MARGIN), last: Math.min(last, pageOf(view.to + MARGIN - 1)) }
    const isNear = (page: number): boolean => page >= near.first && page <= near.last
    for (const request of new Set(loading.values())) if (!request.pages.some(isNear)) request.end()
    for (const run of missingRuns(inView.first, inView.last, isLoaded)) load(run)
    // Fetch the rows around the view only after the rows in view have arrived.
    if (range(inView.first, inView.last - inView.first + 1).some((page) => loading.has(page))) return
    if (!isCounted) countOnce()
    for (const run of missingRuns(near.first, near.last, isLoaded))
      load(extendRun(run, { inView, last, max: MAX_RUN, isLoaded }))
    changes.refetchSoon()
  }

  /** Counts the devices only after the first rows have arrived, because counting would delay the rows. */
  const countOnce = (): void => {
    isCounted = true
    if (fullLength !== undefined) return
    client
      .query(DeviceCountDocument, filter, { requestPolicy: 'network-only' })
      .toPromise()
      .then(({ data }) => {
        if (isClosed) return
        if (data?.login == null) {
          // Count again after the next scroll, because this attempt failed.
          isCounted = false
          return
        }
        total = data.login.devices.total
        if (fullLength !== undefined && fullLength !== total) isOutdated = true
        fullLength ??= total
        notify()
        loadView()
      })
  }

  const endThrottle = (): void => {
    throttleTimer = undefined
    if (!hasScrolled) return
    hasScrolled = false
    loadView()
    throttleTimer = schedule(endThrottle, SCROLL_THROTTLE_MS)
  }

  const length = (): number => fullLength ?? Math.max(seenLength, initial.total ?? 0)
  const rowAt = (index: number): Row | undefined => pages.peek(pageOf(index))?.rows[index % PAGE_SIZE]

  const changes = createChangedRows(client, {
    query,
    pages,
    schedule,
    idsInView() {
      const first = Math.max(0, view.from - MARGIN)
      return range(first, view.to + MARGIN - first).flatMap((row) => rowAt(row)?.device.id ?? [])
    },
    onChanged(hasMoved) {
      if (isClosed) return
      if (hasMoved) isOutdated = true
      notify()
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
    setView(from, to) {
      view = { from, to }
      if (throttleTimer !== undefined) {
        hasScrolled = true
        return
      }
      loadView()
      throttleTimer = schedule(endThrottle, SCROLL_THROTTLE_MS)
    },
    markChanged(ids) {
      // Include all devices while a request is in flight, because its response may contain outdated rows.
      const affected = ids.filter((id) => loading.size > 0 || pages.find(id) !== undefined)
      if (affected.length > 0) changes.add(affected)
      // Count again, because a device without a row may now match the filter.
      else if (isFiltered(filter)) this.recount()
    },
    recount() {
      if (recountTimer !== undefined) return
      recountTimer = schedule(() => {
        recountTimer = undefined
        const before = total
        client
          .query(DeviceCountDocument, filter, { requestPolicy: 'network-only' })
          .toPromise()
          .then(({ data }) => {
            if (isClosed || data?.login == null) return
            if (data.login.devices.total === before) return
            total = data.login.devices.total
            isOutdated = true
            notify()
          })
      }, RECOUNT_DELAY_MS)
    },
    retry() {
      error = undefined
      loadView()
      notify()
    },
    listen: updates.listen,
    close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      for (const request of new Set(loading.values())) request.end()
    },
  }
}
