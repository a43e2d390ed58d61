import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconHistory, IconHistoryOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { ListTable, Paging } from '../../../components/list-table.tsx'
import { Loading } from '../../../components/loading.tsx'
import { useLiveStatus } from '../../../graphql/live-events.ts'
import { type EventFilter, isFiltered } from '../events-search.ts'
import { type EventGroup, groupEvents, mayContinue } from './burst.ts'
import { BurstCard } from './burst-card.tsx'
import { BurstRow } from './burst-row.tsx'
import { EventCard } from './event-card.tsx'
import { EventRow } from './event-row.tsx'
import type { LoggedEvent } from './logged-event.ts'
import { useEventLog } from './use-event-log.ts'

interface EventListProps {
  filter: EventFilter
  after: string | undefined
  isLive: boolean
  onLive: (isLive: boolean) => void
  onPage: (after: string | undefined) => void
}

const columns = ['Time', 'Event', 'Target', 'Changes', 'Actor', '']

/** Give the component a different `key` for each filter and page, so that React creates it again. */
export function EventList({ filter, after, isLive, onLive, onPage }: EventListProps) {
  const { events, fresh, held, showHeld, hasMore, error, reload } = useEventLog({ filter, after, isLive, fills: true })
  const next = hasMore ? events?.at(-1)?.id : undefined
  const switchLive = (live: boolean): void => {
    if (live) showHeld()
    onLive(live)
  }
  return (
    <>
      <Group justify="space-between" mb="xs" mih={34}>
        {after === undefined && filter.maxDate === undefined ? (
          <Group gap="md">
            <LiveSwitch isLive={isLive} onLive={switchLive} />
            {held === 0 ? null : (
              <Button size="compact-sm" variant="light" onClick={showHeld}>
                Show {held.toLocaleString()} new {held === 1 ? 'event' : 'events'}
              </Button>
            )}
          </Group>
        ) : (
          <Text c="dimmed">This page does not show new events.</Text>
        )}
        <Paging {...{ after, next, onPage }} />
      </Group>
      <ErrorNotice error={error} title="The events could not be loaded" onRetry={reload} />
      {events === undefined && error === undefined ? <Loading what="events" /> : null}
      {events?.length === 0 ? <NoEvents isFiltered={isFiltered(filter)} /> : null}
      {events === undefined || events.length === 0 ? null : (
        <>
          <Events events={events} fresh={fresh} hasMore={hasMore} />
          <Paging justify="flex-end" mt="xs" {...{ after, next, onPage }} />
        </>
      )}
    </>
  )
}

interface EventsProps {
  events: readonly LoggedEvent[]
  fresh: ReadonlySet<string>
  hasMore: boolean
}

function Events({ events, fresh, hasMore }: EventsProps) {
  const groups = useMemo(() => groupEvents(events), [events])
  const isCut = (group: EventGroup): boolean => hasMore && mayContinue(group, events)
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const [Burst, Single] = isNarrow ? [BurstCard, EventCard] : [BurstRow, EventRow]
  const list = groups.map((group) =>
    group.events.length > 1 ? (
      <Burst key={group.id} group={group} isCut={isCut(group)} fresh={fresh} />
    ) : (
      <Single key={group.id} event={group.events[0]!} isFresh={fresh.has(group.id)} />
    ),
  )
  if (isNarrow)
    return (
      <Stack component="ul" gap="xs" p={0} m={0} aria-label="Events" style={{ listStyle: 'none' }}>
        {list}
      </Stack>
    )
  return (
    <ListTable label="Events" columns={columns} minWidth={920}>
      {list}
    </ListTable>
  )
}

function LiveSwitch({ isLive, onLive }: { isLive: boolean; onLive: (isLive: boolean) => void }) {
  const status = useLiveStatus()
  return (
    <Group gap="xs">
      <Switch
        label="Show new events as they happen"
        checked={isLive}
        onChange={({ currentTarget }) => onLive(currentTarget.checked)}
      />
      {status === 'reconnecting' ? <Text c="dimmed">Reconnecting. No events will be lost.</Text> : null}
    </Group>
  )
}

function NoEvents({ isFiltered: filtered }: { isFiltered: boolean }) {
  if (filtered)
    return (
      <EmptyState icon={<IconHistoryOff />} title="No matching events">
        Without a start date, this list shows only one month of events. Choose an earlier start date or other filters.
      </EmptyState>
    )
  return (
    <EmptyState icon={<IconHistory />} title="No events in the last month">
      This log shows the events that your role allows you to see. Choose a start date to see older events.
    </EmptyState>
  )
}
