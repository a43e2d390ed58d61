import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { createLiveEvents, type LiveEvent, type LiveListener, type LiveStatus } from './live-events.ts'
import { signedOut } from './signed-out.ts'

/** The tab's one connection; the shell starts it when somebody is signed in. */
export const liveEvents = createLiveEvents(signedOut.announce)

/** Calls the listener, always its latest rendering's, while the component is there. */
export function useLiveEvents({ onEvents, onGap }: LiveListener): void {
  const events = useEffectEvent(onEvents)
  const gap = useEffectEvent(() => onGap?.())
  useEffect(() => liveEvents.listen({ onEvents: (list) => events(list), onGap: () => gap() }), [])
}

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveEvents.watchStatus, () => liveEvents.status)

/** The devices that an event is about; for a service's event, its device. */
export const devicesOf = (event: LiveEvent): string[] => idsOf(event, 'device')

export const servicesOf = (event: LiveEvent): string[] => idsOf(event, 'service')

const idsOf = (event: LiveEvent, kind: string): string[] =>
  event.target.filter((target) => target.kind === kind).map(({ id }) => id)
