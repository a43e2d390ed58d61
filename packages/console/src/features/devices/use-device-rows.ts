import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useClient } from 'urql'
import { devicesOf, useLiveEvents } from '../../graphql/use-live-events.ts'
import { createDeviceRows, type DeviceRows } from './device-rows.ts'
import type { DeviceQuery } from './devices-search.ts'

interface Shown {
  rows: DeviceRows
  /** Another order or filter is on its way; these are the rows of the one before. */
  isBehind: boolean
  refresh(): void
}

const comesOrGoes = new Set(['DEVICE_REGISTER', 'DEVICE_DELETE'])

/**
 * The rows of the query. Those of the one before stay until its first answer is there: typing in a filter does not
 * flicker.
 */
export function useDeviceRows(query: DeviceQuery): Shown {
  const client = useClient()
  const [generation, setGeneration] = useState(0)
  const current = useRef<DeviceRows>(undefined)
  const refresh = useCallback(() => setGeneration((before) => before + 1), [])
  const key = JSON.stringify([query, generation])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is what the query says
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
      // Overtaken before it was ever shown.
      if (current.current !== wanted) wanted.close()
    }
  }, [wanted])
  useEffect(() => () => current.current?.close(), [])

  // What the page itself shows; its table follows each row.
  useSyncExternalStore(shown.listen, () =>
    [shown.isReady, shown.length === 0, shown.total, shown.isOutdated, shown.error === undefined].join(),
  )
  useLiveEvents({
    onEvents(events) {
      wanted.touch(events.flatMap(devicesOf))
      if (events.some(({ type }) => comesOrGoes.has(type))) wanted.recount()
    },
    onGap: refresh,
  })
  return { rows: shown, isBehind: wanted !== shown, refresh }
}

/** Another order has as many rows. */
function totalOf(before: DeviceRows | undefined, { filter }: DeviceQuery): number | undefined {
  if (before === undefined || before.isOutdated) return undefined
  return JSON.stringify(before.query.filter) === JSON.stringify(filter) ? before.total : undefined
}
