import type { Client } from 'urql'
import { DevicesByIdDocument } from './devices.generated.ts'
import type { DeviceQuery } from './devices-search.ts'
import { readSort } from './devices-search.ts'
import type { PageCache } from './page-cache.ts'
import { hasMoved } from './row-place.ts'

interface ChangedRowsOptions {
  query: DeviceQuery
  pages: PageCache
  later(run: () => void, ms: number): void
  /** The devices of the rows in view and near it. */
  idsInView(): readonly string[]
  /** Rows are others; `hasMoved` where one of them stands elsewhere in the order now, or is gone. */
  onChanged(hasMoved: boolean): void
}

/** Rows to which something happened: asked for again, those out of view when they come into it. */
export interface ChangedRows {
  add(ids: readonly string[]): void
  askSoon(): void
}

const AGAIN_EVERY_MS = 400
const MOST_IDS = 500

export function createChangedRows(client: Client, options: ChangedRowsOptions): ChangedRows {
  const { pages, later, idsInView, onChanged } = options
  const { filter, sort, withAttributes } = options.query
  const place = { order: readSort(sort), filter }
  const changed = new Set<string>()
  let isUnderWay = false
  let isAgain = false

  const ask = async (): Promise<void> => {
    const ids = idsInView()
      .filter((id) => changed.has(id))
      .slice(0, MOST_IDS)
    if (ids.length === 0) return
    for (const id of ids) changed.delete(id)
    const variables = { ids, withAttributes, context: filter.context }
    const { data } = await client.query(DevicesByIdDocument, variables, { requestPolicy: 'network-only' }).toPromise()
    if (data?.login == null) {
      // The next event, or scrolling, tries again.
      for (const id of ids) changed.add(id)
      return
    }
    const found = new Map(data.login.device.map((device) => [device.id, device]))
    let isAnyMoved = false
    for (const id of ids) {
      const before = pages.find(id)
      const device = found.get(id)
      if (before === undefined) continue
      if (device === undefined || hasMoved(before.device, device, place)) isAnyMoved = true
      pages.replace(id, device === undefined ? { ...before, isGone: true } : { device })
    }
    onChanged(isAnyMoved)
  }

  /** One after the other: of two answers the one that was asked for first may come last. */
  const askSoon = (): void => {
    if (changed.size === 0) return
    isAgain = isUnderWay
    if (isUnderWay) return
    isUnderWay = true
    later(async () => {
      isAgain = false
      await ask()
      isUnderWay = false
      if (isAgain) askSoon()
    }, AGAIN_EVERY_MS)
  }

  return {
    add(ids) {
      for (const id of ids) changed.add(id)
      askSoon()
    },
    askSoon,
  }
}
