import { useCallback, useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import type { EventType } from '../../components/events/event-types.ts'
import { devicesOf, useLiveEvents } from '../../graphql/live-events.ts'
import { type DeviceEventFragment, DeviceEventsDocument } from './device-events.generated.ts'

interface DeviceEventsOptions {
  deviceId: string
  /** The time when the device was created. The device has no earlier events. */
  created: string
  /** The types of events to load, or undefined for all types. */
  types: readonly EventType[] | undefined
}

export interface DeviceEvents {
  /** Undefined until the first page is loaded. */
  events: readonly DeviceEventFragment[] | undefined
  hasMore: boolean
  isLoading: boolean
  error: unknown
  loadOlder(): void
  retry(): void
}

interface Loaded {
  events: readonly DeviceEventFragment[]
  cursor: string | null
  hasMore: boolean
}

const PAGE_SIZE = 50
const DAY_MS = 86_400_000

export function useDeviceEvents({ deviceId, created, types }: DeviceEventsOptions): DeviceEvents {
  const client = useClient()
  const [loaded, setLoaded] = useState<Loaded>()
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<unknown>()
  // Number of the latest request. The results of earlier requests are ignored.
  const latestRequest = useRef(0)
  const latestAfter = useRef<string | null>(null)
  // Whether to load the events again after any request in flight. urql combines identical requests, so a second request
  // at the same time would receive the same response. That response may lack the newest events.
  const [isOutdated, setOutdated] = useState(false)
  const kinds = types?.join(' ')

  const load = useCallback(
    async (after: string | null): Promise<void> => {
      const request = ++latestRequest.current
      latestAfter.current = after
      setLoading(true)
      setError(undefined)
      const { data, error: failure } = await client
        .query(
          DeviceEventsDocument,
          {
            id: [deviceId],
            size: PAGE_SIZE,
            after,
            // Pass a start date, because the API otherwise returns only the events of the last month.
            minDate: new Date(Date.parse(created) - DAY_MS).toISOString(),
            types: kinds === undefined ? null : (kinds.split(' ') as EventType[]),
          },
          { requestPolicy: 'network-only' },
        )
        .toPromise()
      if (request !== latestRequest.current) return
      setLoading(false)
      if (failure !== undefined) return setError(failure)
      const page = data?.login?.device[0]?.events ?? { items: [], cursor: null, hasMore: false }
      setLoaded((before) => ({
        events: after === null ? page.items : mergeEvents(before?.events ?? [], page.items),
        cursor: page.cursor,
        hasMore: page.hasMore,
      }))
    },
    [client, deviceId, created, kinds],
  )

  useEffect(() => {
    setLoaded(undefined)
    void load(null)
  }, [load])

  useLiveEvents({
    onEvents(list) {
      const matching = list.filter(
        (event) => devicesOf(event).includes(deviceId) && (types === undefined || types.includes(event.type)),
      )
      if (matching.length === 0) return
      setLoaded((before) => before && { ...before, events: mergeEvents(matching.toReversed(), before.events) })
      if (isLoading) setOutdated(true)
    },
    onGap: () => setOutdated(true),
  })
  useEffect(() => {
    if (!isOutdated || isLoading) return
    setOutdated(false)
    void load(null)
  }, [isOutdated, isLoading, load])

  return {
    events: loaded?.events,
    hasMore: loaded?.hasMore ?? false,
    isLoading,
    error,
    loadOlder: () => void load(loaded?.cursor ?? null),
    retry: () => void load(latestAfter.current),
  }
}

function mergeEvents(
  newer: readonly DeviceEventFragment[],
  older: readonly DeviceEventFragment[],
): readonly DeviceEventFragment[] {
  const known = new Set(newer.map(({ id }) => id))
  return [...newer, ...older.filter(({ id }) => !known.has(id))]
}
