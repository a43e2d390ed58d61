import { ActionIcon, Badge, Button, Group, Table, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { ListRow } from '../../../components/list-table.tsx'
import type { EventGroup } from './burst.ts'
import { BurstSummary, BurstTime, describeBurst } from './burst-summary.tsx'
import { EventActor } from './event-actor.tsx'
import { EventRow } from './event-row.tsx'

export interface BurstProps {
  group: EventGroup
  /** Whether the next page may contain more events of the burst. */
  isCut: boolean
  fresh: ReadonlySet<string>
}

/** Maximum number of events that one click adds, because rendering thousands of rows at once would be slow. */
export const SHOWN_AT_ONCE = 50

export function BurstRow({ group, isCut, fresh }: BurstProps) {
  const [shown, setShown] = useState(0)
  const { events } = group
  const { title, devices, spoken } = describeBurst(group, isCut)
  const newCount = events.filter(({ id }) => fresh.has(id)).length
  const isOpen = shown > 0
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <ListRow bg={newCount > 0 ? 'var(--mantine-primary-color-light)' : undefined}>
        <BurstTime events={events} />
        <Group gap={6}>
          <Text inherit fw={600} style={{ whiteSpace: 'nowrap' }}>
            {title}
          </Text>
          {newCount > 0 ? <Badge size="sm">{newCount.toLocaleString()} new</Badge> : null}
        </Group>
        <Table.Td miw={150}>{devices}</Table.Td>
        <BurstSummary events={events} />
        {isOfDevices(group) ? (
          <Text inherit c="dimmed">
            the devices
          </Text>
        ) : (
          <EventActor event={events[0]!} />
        )}
        <ActionIcon
          aria-label={`${isOpen ? 'Hide' : 'Show'} ${spoken}`}
          aria-expanded={isOpen}
          onClick={() => setShown(isOpen ? 0 : SHOWN_AT_ONCE)}
        >
          <Icon size={18} />
        </ActionIcon>
      </ListRow>
      {events.slice(0, shown).map((event) => (
        <EventRow key={event.id} event={event} isFresh={fresh.has(event.id)} isInBurst />
      ))}
      {isOpen && events.length > shown ? (
        <Table.Tr>
          <Table.Td colSpan={6} pl={36}>
            <Button size="compact-sm" variant="light" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
              Show {Math.min(SHOWN_AT_ONCE, events.length - shown)} more of {events.length.toLocaleString()}
            </Button>
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  )
}

const isOfDevices = ({ events }: EventGroup): boolean => events[0]!.source.kind === 'device'
