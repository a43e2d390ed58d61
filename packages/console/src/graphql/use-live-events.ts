import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { createLiveEvents, type LiveEvent, type LiveListener, type LiveStatus } from './live-events.ts'

/** The tab's only subscription to events. The shell starts it for a signed-in user who can read events. */
export const liveEvents = createLiveEvents()

/** Calls the latest render's listener while the component is mounted. */
export function useLiveEvents({ onEvents, onGap }: LiveListener): void {
  const events = useEffectEvent(onEvents)
  const gap = useEffectEvent(() => onGap?.())
  useEffect(() => liveEvents.listen({ onEvents: (list) => events(list), onGap: () => gap() }), [])
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveEvents.watchStatus, () => liveEvents.status)

/** Returns the IDs of an event's devices. For an event of a service, returns the ID of the service's device. */
export const devicesOf = (event: LiveEvent): string[] => idsOf(event, 'device')

export const servicesOf = (event: LiveEvent): string[] => idsOf(event, 'service')

const idsOf = (event: LiveEvent, kind: string): string[] =>
  event.target.filter((target) => target.kind === kind).map(({ id }) => id)
