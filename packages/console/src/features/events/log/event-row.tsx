import { ActionIcon, Badge, Group, Table, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { memo, useState } from 'react'
import { EventSummary } from '../../../components/events/event-summary.tsx'
import { eventLabel } from '../../../components/events/event-types.ts'
import { ListRow } from '../../../components/list-table.tsx'
import { Time } from '../../../components/time.tsx'
import { EventActor } from './event-actor.tsx'
import { EventDetails } from './event-details.tsx'
import { EventTargets } from './event-target.tsx'
import type { LoggedEvent } from './logged-event.ts'

interface EventRowProps {
  event: LoggedEvent
  isFresh: boolean
  isInBurst?: boolean
}

export const EventRow = memo(function EventRow({ event, isFresh, isInBurst = false }: EventRowProps) {
  const [isOpen, setOpen] = useState(false)
  const label = eventLabel(event.type)
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <ListRow bg={isFresh ? 'var(--mantine-primary-color-light)' : undefined}>
        <Table.Td pl={isInBurst ? 36 : undefined}>
          <Time value={event.timestamp} format="local" />
        </Table.Td>
        <Group gap={6} wrap="nowrap">
          <Text inherit style={{ whiteSpace: 'nowrap' }}>
            {label}
          </Text>
          {isFresh ? <Badge size="sm">new</Badge> : null}
        </Group>
        <Table.Td miw={170}>
          <EventTargets event={event} />
        </Table.Td>
        <Table.Td miw={220}>
          <EventSummary event={event} />
        </Table.Td>
        <EventActor event={event} />
        <ActionIcon aria-label={`Details of ${label}`} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon size={18} />
        </ActionIcon>
      </ListRow>
      {isOpen ? (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <EventDetails event={event} />
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  )
})
