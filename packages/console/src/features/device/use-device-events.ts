import { useCallback, useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import type { EventType } from '../../components/event-types.ts'
import { devicesOf, useLiveEvents } from '../../graphql/use-live-events.ts'
import { type DeviceEventFragment, DeviceEventsDocument } from './device-events.generated.ts'

export interface DeviceEventsOptions {
  deviceId: string
  /** When the device came: its events reach back to it. */
  created: string
  /** All where left away. */
  types: readonly EventType[] | undefined
}

export interface DeviceEvents {
  /** Newest first; undefined until the first page is there. */
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

const PAGE = 50
const DAY_MS = 86_400_000

/** A device's events, page by page into the past, with those that happen meanwhile on top. */
export function useDeviceEvents({ deviceId, created, types }: DeviceEventsOptions): DeviceEvents {
  const client = useClient()
  const [loaded, setLoaded] = useState<Loaded>()
  const [isLoading, setLoading] = useState(false)
  const [error, setError] = useState<unknown>()
  // An answer to what is no longer asked for is dropped.
  const turn = useRef(0)
  // The client answers what is asked twice at a time once, maybe from before a gap in the live events.
  const [isMissing, setMissing] = useState(false)
  const kinds = types?.join(' ')

  const load = useCallback(
    async (after: string | null): Promise<void> => {
      const mine = ++turn.current
      setLoading(true)
      setError(undefined)
      const { data, error: failure } = await client
        .query(
          DeviceEventsDocument,
          {
            id: [deviceId],
            size: PAGE,
            after,
            // Without a date the first page would reach back a month.
            minDate: new Date(Date.parse(created) - DAY_MS).toISOString(),
            types: kinds === undefined ? null : (kinds.split(' ') as EventType[]),
          },
          { requestPolicy: 'network-only' },
        )
        .toPromise()
      if (mine !== turn.current) return
      setLoading(false)
      if (failure !== undefined) return setError(failure)
      const page = data?.login?.device[0]?.events ?? { items: [], cursor: null, hasMore: false }
      setLoaded((before) => ({
        events: after === null ? page.items : joined(before?.events ?? [], page.items),
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
      setLoaded((before) => before && { ...before, events: joined(matching.toReversed(), before.events) })
      // The page that is on its way may be from before.
      if (isLoading) setMissing(true)
    },
    onGap: () => setMissing(true),
  })
  useEffect(() => {
    if (!isMissing || isLoading) return
    setMissing(false)
    void load(null)
  }, [isMissing, isLoading, load])

  return {
    events: loaded?.events,
    hasMore: loaded?.hasMore ?? false,
    isLoading,
    error,
    loadOlder: () => void load(loaded?.cursor ?? null),
    retry: () => void load(loaded?.cursor ?? null),
  }
}

/** Each event once. */
function joined(
  newer: readonly DeviceEventFragment[],
  older: readonly DeviceEventFragment[],
): readonly DeviceEventFragment[] {
  const known = new Set(newer.map(({ id }) => id))
  return [...newer, ...older.filter(({ id }) => !known.has(id))]
}
