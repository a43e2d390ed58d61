import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useClient } from 'urql'
import { devicesOf, useLiveEvents } from '../../../graphql/live-events.ts'
import type { DeviceQuery } from '../devices-search.ts'
import { createDeviceRows, type DeviceRows } from './load-device-rows.ts'

interface ShownRows {
  rows: DeviceRows
  /** Whether `rows` are the previous rows, because the new rows are still loading. */
  isStale: boolean
  refresh(): void
}

const countChanging = new Set(['DEVICE_REGISTER', 'DEVICE_DELETE', 'DEVICE_TRANSFER'])

/**
 * Returns the rows of a query. Until the first rows arrive, returns the previous query's rows, so that the list does
 * not flicker while the user types a filter.
 */
export function useShownRows(query: DeviceQuery): ShownRows {
  const client = useClient()
  const [generation, setGeneration] = useState(0)
  const current = useRef<DeviceRows>(undefined)
  const refresh = useCallback(() => setGeneration((before) => before + 1), [])
  const key = JSON.stringify([query, generation])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains the query
  const wanted = useMemo(
    () => createDeviceRows(client, query, { total: totalOf(current.current, query) }),
    [client, key],
  )
  const [shown, setShown] = useState(wanted)
  current.current ??= wanted

  useEffect(() => {
    const swap = (): void => {
      if (!wanted.isReady || current.current === wanted) return
      current.current?.close()
      current.current = wanted
      setShown(wanted)
    }
    swap()
    const endListening = wanted.listen(swap)
    return () => {
      endListening()
      // Close this query if a newer query replaced it before its rows appeared.
      if (current.current !== wanted) wanted.close()
    }
  }, [wanted])
  useEffect(() => () => current.current?.close(), [])

  // Render the page again only if these values change, because the table itself listens for row changes.
  useSyncExternalStore(shown.listen, () =>
    [shown.isReady, shown.length === 0, shown.total, shown.isOutdated, shown.error === undefined].join(),
  )
  useLiveEvents({
    onEvents(events) {
      wanted.markChanged(events.flatMap(devicesOf))
      if (events.some(({ type }) => countChanging.has(type))) wanted.recount()
    },
    onGap: refresh,
  })
  return { rows: shown, isStale: wanted !== shown, refresh }
}

/** Returns the previous total if it is still valid: the filter is the same, and the previous rows are not outdated. */
function totalOf(before: DeviceRows | undefined, { filter }: DeviceQuery): number | undefined {
  if (before === undefined || before.isOutdated) return undefined
  return JSON.stringify(before.query.filter) === JSON.stringify(filter) ? before.total : undefined
}
