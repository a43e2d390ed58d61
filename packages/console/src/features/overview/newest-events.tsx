import { Stack, Text } from '@mantine/core'
import { RouterAnchor } from '../../app/links.tsx'
import { EventSummary } from '../../components/events/event-summary.tsx'
import { eventLabel } from '../../components/events/event-types.ts'
import { Time } from '../../components/time.tsx'
import { EventTargets } from '../events/log/event-target.tsx'
import { useEventLog } from '../events/log/use-event-log.ts'
import { Part } from './part.tsx'

const SHOWN = 12
const everything = {}

export function NewestEvents() {
  const { events } = useEventLog({ filter: everything, after: undefined, isLive: true, size: 20 })
  return (
    <Part
      title="Newest events"
      actions={
        <RouterAnchor to="/events" size="sm">
          Show all
        </RouterAnchor>
      }
    >
      {events?.length === 0 ? <Text c="dimmed">No events in the last month.</Text> : null}
      <Stack component="ul" gap={8} p={0} m={0} style={{ listStyle: 'none' }}>
        {events?.slice(0, SHOWN).map((event) => (
          <li
            key={event.id}
            style={{
              display: 'flex',
              flexWrap: 'wrap',
              gap: '2px 12px',
              alignItems: 'flex-start',
              fontSize: 'var(--mantine-font-size-sm)',
            }}
          >
            <Text span inherit c="dimmed" w={90}>
              <Time value={event.timestamp} />
            </Text>
            <Text span inherit fw={500} miw={140}>
              {eventLabel(event.type)}
            </Text>
            <EventTargets event={event} />
            <EventSummary event={event} />
          </li>
        ))}
      </Stack>
    </Part>
  )
}
