import type { Client, CombinedError } from 'urql'
import { DeviceCountDocument, DevicePageDocument, DevicesByIdDocument } from './devices.generated.ts'
import { type DeviceFilter, isFiltered, readSort } from './devices-search.ts'
import { PageCache, type Row } from './page-cache.ts'
import { hasMoved } from './row-place.ts'

export interface DeviceQuery {
  filter: DeviceFilter
  sort: string
  /** Whether custom attributes are shown. */
  withAttributes: boolean
  /** What the server counts records from: 1, unless it was set to 0. */
  firstRecord: number
}

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
  /** These rows are in view, the last one not among them. */
  show(from: number, to: number): void
  /** Something happened to these devices. */
  touch(ids: readonly string[]): void
  /** Devices came or went. */
  recount(): void
  retry(): void
  listen(changed: () => void): () => void
  close(): void
}

const PAGE = 100
const MOST_PAGES = 60
/** A fast scroll passes over many pages; those in view when it slows down are fetched. */
const SETTLE_MS = 40
const AGAIN_EVERY_MS = 400
const RECOUNT_AFTER_MS = 1500
const MOST_IDS = 500
/** Beyond the rows in view, so that a slow scroll meets no holes. */
const MARGIN = 40

export function createDeviceRows(client: Client, query: DeviceQuery): DeviceRows {
  const { filter, sort, withAttributes, firstRecord } = query
  const pages = new PageCache(MOST_PAGES)
  const loading = new Map<number, () => void>()
  const listeners = new Set<() => void>()
  const changed = new Set<string>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  const order = readSort(sort)
  let version = 0
  let total: number | undefined
  /** Rows of the list as it was fetched; what came or went since shows in the total alone. */
  let known: number | undefined
  let seen = 0
  let isOutdated = false
  let error: CombinedError | undefined
  let view = { from: 0, to: PAGE }
  let isClosed = false
  let settling: ReturnType<typeof setTimeout> | undefined
  let askingAgain: ReturnType<typeof setTimeout> | undefined
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

  const load = (number: number): void => {
    const before = number > 0 ? pages.peek(number - 1)?.cursor : undefined
    const place = before ? { after: before } : { from: number * PAGE + firstRecord }
    const variables = { ...filter, ...place, size: PAGE, sort, withAttributes }
    const { unsubscribe } = client
      .query(DevicePageDocument, variables, { requestPolicy: 'network-only' })
      .subscribe(({ data, error: failure, stale }) => {
        if (stale) return
        loading.delete(number)
        error = failure
        const list = data?.login?.devices
        if (list !== undefined) {
          pages.put(number, {
            rows: list.items.map((device) => ({ device })),
            hasMore: list.hasMore,
            cursor: list.cursor,
          })
          seen = Math.max(seen, number * PAGE + list.items.length + (list.hasMore ? 1 : 0))
          if (!list.hasMore) known = number * PAGE + list.items.length
          if (!isOutdated) total = known ?? total
          if (changed.size > 0) askAgainSoon()
        }
        tell()
      })
    loading.set(number, unsubscribe)
  }

  const pagesInView = (): number[] => {
    const first = Math.floor(Math.max(0, view.from - MARGIN) / PAGE)
    const last = Math.floor(Math.max(0, Math.min(view.to + MARGIN, length()) - 1) / PAGE)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  }

  const loadView = (): void => {
    if (isClosed || error !== undefined) return
    const wanted = pagesInView()
    for (const [number, unsubscribe] of loading)
      if (!wanted.includes(number)) {
        unsubscribe()
        loading.delete(number)
      }
    for (const number of wanted) if (pages.look(number) === undefined && !loading.has(number)) load(number)
    if (changed.size > 0) askAgainSoon()
  }

  const count = (): void => {
    client
      .query(DeviceCountDocument, filter, { requestPolicy: 'network-only' })
      .toPromise()
      .then(({ data }) => {
        if (isClosed || data?.login == null) return
        total = data.login.devices.total
        known ??= total
        tell()
      })
  }

  const idsInView = (): string[] => {
    const ids: string[] = []
    for (let index = Math.max(0, view.from - MARGIN); index < view.to + MARGIN; index++) {
      const row = rowAt(index)
      if (row !== undefined && changed.has(row.device.id)) ids.push(row.device.id)
    }
    return ids.slice(0, MOST_IDS)
  }

  /** What happened to rows out of view is asked for when they come into view. */
  const askAgain = async (): Promise<void> => {
    const ids = idsInView()
    if (ids.length === 0) return
    for (const id of ids) changed.delete(id)
    const variables = { ids, withAttributes, context: filter.context }
    const { data } = await client.query(DevicesByIdDocument, variables, { requestPolicy: 'network-only' }).toPromise()
    if (isClosed) return
    if (data?.login == null) {
      // The next event, or scrolling, tries again.
      for (const id of ids) changed.add(id)
      return
    }
    const found = new Map(data.login.device.map((device) => [device.id, device]))
    for (const id of ids) {
      const before = pages.find(id)
      const device = found.get(id)
      if (before === undefined) continue
      if (device === undefined) {
        pages.replace(id, { ...before, isGone: true })
        isOutdated = true
        continue
      }
      if (hasMoved(before.device, device, { order, filter })) isOutdated = true
      pages.replace(id, { device })
    }
    tell()
  }

  const askAgainSoon = (): void => {
    if (askingAgain !== undefined) return
    askingAgain = later(() => {
      askingAgain = undefined
      void askAgain()
    }, AGAIN_EVERY_MS)
  }

  const length = (): number => known ?? seen
  const rowAt = (index: number): Row | undefined => pages.peek(Math.floor(index / PAGE))?.rows[index % PAGE]

  count()
  load(0)

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
      if (settling === undefined)
        settling = later(() => {
          settling = undefined
          loadView()
        }, SETTLE_MS)
    },
    touch(ids) {
      let isAny = false
      // What is on its way may be from before.
      for (const id of ids)
        if (loading.size > 0 || pages.find(id) !== undefined) {
          changed.add(id)
          isAny = true
        }
      if (isAny) askAgainSoon()
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
      if (total === undefined) count()
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
      for (const unsubscribe of loading.values()) unsubscribe()
    },
  }
}
