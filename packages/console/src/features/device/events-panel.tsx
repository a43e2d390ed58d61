import { Button, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { RouterAnchor } from '../../app/links.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { EventSummary } from '../../components/events/event-summary.tsx'
import { eventLabel } from '../../components/events/event-types.ts'
import { ListRow, ListTable } from '../../components/list-table.tsx'
import { Loading } from '../../components/loading.tsx'
import { Time } from '../../components/time.tsx'
import { EventActor } from '../events/log/event-actor.tsx'
import type { DeviceEventFragment } from './device-events.generated.ts'
import { type EventKind, eventKindLabels, eventKinds, typesOfKind, typesOfServices } from './event-kinds.ts'
import { type DeviceEvents, useDeviceEvents } from './use-device-events.ts'

interface EventsPanelProps {
  device: { id: string; created: string }
  kind: EventKind | undefined
  onKind(kind: EventKind | undefined): void
}

export function EventsPanel({ device, kind, onKind }: EventsPanelProps) {
  const types = kind === undefined ? undefined : typesOfKind[kind]
  const source = useDeviceEvents({ deviceId: device.id, created: device.created, types })
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label="Kind of event"
          value={kind ?? 'all'}
          onChange={(chosen) => onKind(eventKinds.find((each) => each === chosen))}
          data={[
            { value: 'all', label: 'All' },
            ...eventKinds.map((each) => ({ value: each, label: eventKindLabels[each] })),
          ]}
          style={{ maxWidth: '100%', overflowX: 'auto' }}
        />
        <RouterAnchor to="/events" search={{ device: [device.id], types }} size="sm">
          Filter by date or export events in the event log
        </RouterAnchor>
      </Group>
      <EventList source={source} events={source.events} deviceId={device.id} />
    </Stack>
  )
}

/**
 * Shows the events of a service. Filters the device's events in the browser, because the API's field `Device.events`
 * cannot filter by service.
 */
export function ServiceEvents({ device, serviceId }: { device: EventsPanelProps['device']; serviceId: string }) {
  const source = useDeviceEvents({ deviceId: device.id, created: device.created, types: typesOfServices })
  const events = source.events?.filter(({ target }) => target.some(({ id }) => id === serviceId))
  return <EventList source={source} events={events} deviceId={device.id} />
}

interface EventListProps {
  source: DeviceEvents
  events: DeviceEvents['events']
  deviceId: string
}

function EventList({ source: { hasMore, isLoading, error, loadOlder, retry }, events, deviceId }: EventListProps) {
  return (
    <>
      <ErrorNotice error={error} title="The events could not be loaded" onRetry={retry} />
      {events === undefined ? (
        error === undefined && <Loading what="events" />
      ) : events.length === 0 ? (
        <EmptyState icon={<IconHistory />} title={hasMore ? 'No matching recent events' : 'No events yet'}>
          New events appear here as they happen.
        </EmptyState>
      ) : (
        <EventRows events={events} deviceId={deviceId} />
      )}
      {events === undefined ? null : (
        <Group justify="center">
          {hasMore ? (
            <Button variant="default" onClick={loadOlder} loading={isLoading}>
              Load older events
            </Button>
          ) : events.length === 0 ? null : (
            <Text size="sm" c="dimmed">
              No older events.
            </Text>
          )}
        </Group>
      )}
    </>
  )
}

function EventRows({ events, deviceId }: { events: readonly DeviceEventFragment[]; deviceId: string }) {
  return (
    <ListTable label="Events" columns={['Time', 'Event', 'Changes', 'Actor']} minWidth={700}>
      {events.map((event) => (
        <ListRow key={event.id} style={{ verticalAlign: 'top' }}>
          <Time value={event.timestamp} />
          <Table.Td>
            {eventLabel(event.type)}
            <ServiceName event={event} deviceId={deviceId} />
          </Table.Td>
          <Table.Td fz="sm">
            <EventSummary event={event} />
          </Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            <EventActor event={event} />
          </Table.Td>
        </ListRow>
      ))}
    </ListTable>
  )
}

function ServiceName({ event: { target }, deviceId }: { event: DeviceEventFragment; deviceId: string }) {
  const services = target.filter(({ kind }) => kind === 'service')
  return services.map(({ id, name }) => (
    <Text key={id} size="xs" c="dimmed" component="div">
      on{' '}
      <RouterAnchor to="/devices/$deviceId/services/$serviceId" params={{ deviceId, serviceId: id }} inherit>
        {name}
      </RouterAnchor>
    </Text>
  ))
}
