import type { Client } from 'urql'
import { DevicesByIdDocument } from '../devices.generated.ts'
import { type DeviceQuery, isFiltered } from '../devices-search.ts'
import type { PageCache } from './page-cache.ts'
import { hasMoved } from './row-order.ts'

interface ChangedRowsOptions {
  query: DeviceQuery
  pages: PageCache
  schedule(run: () => void, ms: number): void
  /** Returns the IDs of the devices whose rows are in or near the view. */
  idsInView(): readonly string[]
  /** `hasMoved` is true if a device may have moved, no longer matches the filter, or was deleted. */
  onChanged(hasMoved: boolean): void
}

/** Fetches changed rows again once they are in or near the view. */
interface ChangedRows {
  add(ids: readonly string[]): void
  refetchSoon(): void
}

const REFETCH_INTERVAL_MS = 400
const MAX_IDS = 500

export function createChangedRows(client: Client, options: ChangedRowsOptions): ChangedRows {
  const { pages, schedule, idsInView, onChanged } = options
  const { filter, sortBy, withAttributes } = options.query
  const changed = new Set<string>()
  let isRunning = false
  let isRequestedAgain = false

  const refetch = async (): Promise<void> => {
    const ids = idsInView()
      .filter((id) => changed.has(id))
      .slice(0, MAX_IDS)
    if (ids.length === 0) return
    for (const id of ids) changed.delete(id)
    const variables = { ...filter, ids, withAttributes, isFiltered: isFiltered(filter) }
    const { data } = await client.query(DevicesByIdDocument, variables, { requestPolicy: 'network-only' }).toPromise()
    if (data?.login == null) {
      // Keep the IDs, so that the next event or scroll triggers another attempt.
      for (const id of ids) changed.add(id)
      return
    }
    const found = new Map(data.login.device.map((device) => [device.id, device]))
    const matching = data.login.devices && new Set(data.login.devices.items.map(({ id }) => id))
    let isAnyMoved = false
    for (const id of ids) {
      const before = pages.find(id)
      const device = found.get(id)
      if (before === undefined) continue
      const isOut = matching?.has(id) === false
      if (device === undefined || isOut || hasMoved(before.device, device, sortBy)) isAnyMoved = true
      pages.replace(id, device === undefined ? { ...before, isGone: true } : { device })
    }
    onChanged(isAnyMoved)
  }

  /** Runs one request at a time, because responses to concurrent requests can arrive out of order. */
  const refetchSoon = (): void => {
    if (changed.size === 0) return
    isRequestedAgain = isRunning
    if (isRunning) return
    isRunning = true
    schedule(async () => {
      isRequestedAgain = false
      await refetch()
      isRunning = false
      if (isRequestedAgain) refetchSoon()
    }, REFETCH_INTERVAL_MS)
  }

  return {
    add(ids) {
      for (const id of ids) changed.add(id)
      refetchSoon()
    },
    refetchSoon,
  }
}
