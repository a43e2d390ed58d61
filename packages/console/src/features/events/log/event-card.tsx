import { Anchor, Badge, Group, Paper, Text } from '@mantine/core'
import { memo, useState } from 'react'
import { EventSummary } from '../../../components/events/event-summary.tsx'
import { eventLabel } from '../../../components/events/event-types.ts'
import { Time } from '../../../components/time.tsx'
import { EventDetails } from './event-details.tsx'
import { EventTargets } from './event-target.tsx'
import type { LoggedEvent } from './logged-event.ts'

interface EventCardProps {
  event: LoggedEvent
  isFresh: boolean
}

export const EventCard = memo(function EventCard({ event, isFresh }: EventCardProps) {
  const [isOpen, setOpen] = useState(false)
  const label = eventLabel(event.type)
  return (
    <Paper withBorder p="sm" component="li" bg={isFresh ? 'var(--mantine-primary-color-light)' : undefined}>
      <Group justify="space-between" gap="xs">
        <Group gap={6}>
          <Text fw={600}>{label}</Text>
          {isFresh ? <Badge size="sm">new</Badge> : null}
        </Group>
        <Text size="sm" c="dimmed">
          <Time value={event.timestamp} />
        </Text>
      </Group>
      <EventTargets event={event} />
      <EventSummary event={event} />
      <Anchor
        component="button"
        type="button"
        size="sm"
        aria-expanded={isOpen}
        aria-label={`Details of ${label}`}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Less' : 'Details'}
      </Anchor>
      {isOpen ? <EventDetails event={event} /> : null}
    </Paper>
  )
})
