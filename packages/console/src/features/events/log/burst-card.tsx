import { Anchor, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Time } from '../../../components/time.tsx'
import { type BurstProps, SHOWN_AT_ONCE } from './burst-row.tsx'
import { BurstSummary, describeBurst } from './burst-summary.tsx'
import { EventCard } from './event-card.tsx'

export function BurstCard({ group, isCut, fresh }: BurstProps) {
  const [shown, setShown] = useState(0)
  const { events } = group
  const { title, devices, spoken } = describeBurst(group, isCut)
  const newCount = events.filter(({ id }) => fresh.has(id)).length
  const isOpen = shown > 0
  return (
    <Paper withBorder p="sm" component="li" bg={newCount > 0 ? 'var(--mantine-primary-color-light)' : undefined}>
      <Group justify="space-between" gap="xs">
        <Group gap={6}>
          <Text fw={600}>{title}</Text>
          {newCount > 0 ? <Badge size="sm">{newCount.toLocaleString()} new</Badge> : null}
        </Group>
        <Text size="sm" c="dimmed">
          <Time value={events[0]!.timestamp} />
        </Text>
      </Group>
      <Text>{devices}</Text>
      <BurstSummary events={events} />
      <div>
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Hide' : 'Show'} ${spoken}`}
          onClick={() => setShown(isOpen ? 0 : SHOWN_AT_ONCE)}
        >
          {isOpen ? 'Hide' : 'Show'}
        </Anchor>
      </div>
      {isOpen ? (
        <Stack component="ul" gap="xs" p={0} mt="xs" mb={0} style={{ listStyle: 'none' }} aria-label={spoken}>
          {events.slice(0, shown).map((event) => (
            <EventCard key={event.id} event={event} isFresh={fresh.has(event.id)} />
          ))}
        </Stack>
      ) : null}
      {isOpen && events.length > shown ? (
        <Button mt="xs" size="compact-sm" variant="light" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          Show {Math.min(SHOWN_AT_ONCE, events.length - shown)} more of {events.length.toLocaleString()}
        </Button>
      ) : null}
    </Paper>
  )
}
