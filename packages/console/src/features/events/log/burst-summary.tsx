import { Text } from '@mantine/core'
import { changesOf } from '../../../components/events/event-summary.tsx'
import { eventLabel } from '../../../components/events/event-types.ts'
import { StateBadge } from '../../../components/state-badge.tsx'
import { Time } from '../../../components/time.tsx'
import { labelOfName, useLabels } from '../../user-settings/labels.ts'
import type { EventGroup } from './burst.ts'
import type { LoggedEvent } from './logged-event.ts'

interface BurstText {
  title: string
  /** Number of devices, such as `580 devices`. */
  devices: string
  /** The text for screen readers, such as `600 events: Attributes changed on 580 devices`. */
  spoken: string
}

/** Describes a burst of similar events. `isCut` is true if the next page may contain more events of the burst. */
export function describeBurst({ events }: EventGroup, isCut: boolean): BurstText {
  const label = eventLabel(events[0]!.type)
  const ids = new Set(
    events.flatMap(({ target }) => target.filter(({ kind }) => kind === 'device').map(({ id }) => id)),
  )
  const count = events.length.toLocaleString()
  const devices = ids.size === 1 ? '1 device' : `${ids.size.toLocaleString()} devices`
  return {
    title: `${count}${isCut ? '+' : ''} × ${label}`,
    devices,
    spoken: `${isCut ? 'at least ' : ''}${count} events: ${label} on ${devices}`,
  }
}

const SHOWN = 5

export function BurstSummary({ events }: { events: readonly LoggedEvent[] }) {
  const labels = useLabels()
  const { state, data } = events[0]!
  const names = [...new Set(events.flatMap((event) => changesOf(event.data)?.map(({ name }) => name) ?? []))]
  const shown = names.slice(0, SHOWN).map((name) => labelOfName(name, labels))
  const context = typeof data.context === 'string' ? ` in ${data.context}` : ''
  return (
    <Text inherit span style={{ overflowWrap: 'anywhere' }}>
      {state === null ? null : <StateBadge state={state} />}
      {shown.join(', ')}
      {names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''}
      {context}
    </Text>
  )
}

export function BurstTime({ events }: { events: readonly LoggedEvent[] }) {
  return (
    <>
      <Time value={events[0]!.timestamp} format="local" />
      <Text component="div" size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        since <Time value={events.at(-1)!.timestamp} format="clock" />
      </Text>
    </>
  )
}
