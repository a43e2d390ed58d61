import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useClient } from 'urql'
import { devicesOf, useLiveEvents } from '../../graphql/use-live-events.ts'
import { createDeviceRows, type DeviceQuery, type DeviceRows } from './device-rows.ts'

interface Shown {
  rows: DeviceRows
  /** Another order or filter is on its way; these are the rows of the one before. */
  isBehind: boolean
  refresh(): void
}

const comesOrGoes = new Set(['DEVICE_REGISTER', 'DEVICE_DELETE'])

/** The rows of the query. Those of the one before stay until its first answer is there: typing in a filter does not flicker. */
export function useDeviceRows(query: DeviceQuery): Shown {
  const client = useClient()
  const [generation, setGeneration] = useState(0)
  const refresh = useCallback(() => setGeneration((before) => before + 1), [])
  const key = JSON.stringify([query, generation])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is what the query says
  const wanted = useMemo(() => createDeviceRows(client, query), [client, key])
  const [shown, setShown] = useState(wanted)

  const current = useRef(wanted)

  useEffect(() => {
    const swap = (): void => {
      if (!wanted.isReady || current.current === wanted) return
      current.current.close()
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
  useEffect(() => () => current.current.close(), [])

  useSyncExternalStore(shown.listen, () => shown.version)
  useLiveEvents({
    onEvents(events) {
      wanted.touch(events.flatMap(devicesOf))
      if (events.some(({ type }) => comesOrGoes.has(type))) wanted.recount()
    },
    onGap: refresh,
  })
  return { rows: shown, isBehind: wanted !== shown, refresh }
}
