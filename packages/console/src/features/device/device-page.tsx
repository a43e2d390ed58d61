import { Tabs } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Facts, Mono, NoValue } from '../../components/facts.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import { devicesOf } from '../../graphql/live-events.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useLiveRefresh, useRefresh } from '../../hooks/use-refresh.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { AttributesPanel } from '../attributes/attributes-panel.tsx'
import { ServicesPanel } from '../services/services-panel.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import { Availability } from './availability.tsx'
import { BackToList } from './back-to-list.tsx'
import { type DeviceDetailFragment, DeviceDetailsDocument } from './device.generated.ts'
import { DeviceActions } from './device-actions.tsx'
import { DeviceNotFound } from './device-not-found.tsx'
import { deviceTabs } from './device-search.ts'
import { EventsPanel } from './events-panel.tsx'

export function DevicePage() {
  const { deviceId } = useParams({ from: '/shell/devices/$deviceId' })
  return <DeviceById key={deviceId} deviceId={deviceId.toLowerCase()} />
}

function DeviceById({ deviceId }: { deviceId: string }) {
  const [query, refetch] = useQuery({ query: DeviceDetailsDocument, variables: { id: [deviceId] } })
  const { data, error } = query
  const login = useLastValue(data?.login ?? undefined)
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  useLiveRefresh(refresh, (event) => event.type !== 'ATTRIBUTE_CHANGE' && devicesOf(event).includes(deviceId))
  const device = login?.device[0]
  return (
    <>
      <ErrorNotice error={error} title="The device could not be loaded" onRetry={refresh} />
      {device !== undefined ? (
        <Device device={device} />
      ) : login !== undefined ? (
        <DeviceNotFound what="device" />
      ) : (
        error === undefined && <Loading what="device" />
      )}
    </>
  )
}

function Device({ device }: { device: DeviceDetailFragment }) {
  const [search, change] = useUrlState('/shell/devices/$deviceId')
  const tab = search.tab ?? 'attributes'
  const { canReadEvents } = useViewer()
  return (
    <>
      <BackToList />
      <PageHeader
        title={device.name}
        beside={<StateBadge state={device.state} since={device.stateSince} />}
        actions={<DeviceActions device={device} />}
      />
      <DeviceFacts device={device} />
      <Availability device={device} />
      <Tabs
        value={tab}
        onChange={(chosen) => {
          const known = deviceTabs.find((each) => each === chosen)
          change({ tab: known === 'attributes' ? undefined : known })
        }}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="attributes">Attributes</Tabs.Tab>
          <Tabs.Tab value="services">Services</Tabs.Tab>
          {canReadEvents ? <Tabs.Tab value="events">Events</Tabs.Tab> : null}
        </Tabs.List>
        <Tabs.Panel value="attributes">
          <AttributesPanel
            targetId={device.id}
            isDevice
            context={search.context}
            onContext={(context) => change({ context })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="services">
          <ServicesPanel deviceId={device.id} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          {canReadEvents ? (
            <EventsPanel device={device} kind={search.events} onKind={(events) => change({ events })} />
          ) : (
            <NotAllowed permissions={['EVENT_READ']}>You cannot see events.</NotAllowed>
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function DeviceFacts({ device }: { device: DeviceDetailFragment }) {
  return (
    <Facts
      facts={[
        { label: 'ID', value: <Mono text={device.id} />, copy: device.id },
        {
          label: 'Hardware ID',
          value: device.hardwareId === null ? <NoValue /> : <Mono text={device.hardwareId} />,
          copy: device.hardwareId ?? undefined,
        },
        { label: 'Platform', value: device.platform ?? <NoValue /> },
        { label: 'Created', value: <Time value={device.created} format="local" /> },
        { label: 'Last reported', value: <Time value={device.lastReported} /> },
      ]}
    />
  )
}
