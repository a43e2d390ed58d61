import { Tabs } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { RouterButton } from '../../app/links.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { NotAllowed } from '../../components/not-allowed.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useLiveRefresh, useRefresh } from '../../hooks/use-refresh.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { AttributesPanel } from '../attributes/attributes-panel.tsx'
import { ServiceDetailsDocument, type ServiceDetailsQuery } from '../services/services.generated.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { DeviceNotFound } from './device-not-found.tsx'
import { ServiceEvents } from './events-panel.tsx'
import { ServiceActions } from './service-actions.tsx'
import { ServiceBreadcrumbs } from './service-breadcrumbs.tsx'
import { ServiceFacts } from './service-facts.tsx'

type Service = NonNullable<ServiceDetailsQuery['login']>['service'][number]

export function ServicePage() {
  const { deviceId, serviceId } = useParams({ from: '/shell/devices/$deviceId/services/$serviceId' })
  const ids = { deviceId: deviceId.toLowerCase(), serviceId: serviceId.toLowerCase() }
  if (ids.serviceId === ids.deviceId) return <BulkServicePage deviceId={ids.deviceId} />
  return <ServiceById key={serviceId} {...ids} />
}

function ServiceById({ deviceId, serviceId }: { deviceId: string; serviceId: string }) {
  const [query, refetch] = useQuery({ query: ServiceDetailsDocument, variables: { id: [serviceId] } })
  const { data, error } = query
  const login = useLastValue(data?.login ?? undefined)
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  useLiveRefresh(
    refresh,
    ({ type, target }) => type !== 'ATTRIBUTE_CHANGE' && target.some(({ id }) => id === serviceId || id === deviceId),
  )
  const service = login?.service.find(({ device }) => device.id === deviceId)
  return (
    <>
      <ErrorNotice error={error} title="The service could not be loaded" onRetry={refresh} />
      {service !== undefined ? (
        <ServiceDetails service={service} />
      ) : login !== undefined ? (
        <DeviceNotFound what="service">{deviceButton(deviceId)}</DeviceNotFound>
      ) : (
        error === undefined && <Loading what="service" />
      )}
    </>
  )
}

const deviceButton = (deviceId: string) => (
  <RouterButton to="/devices/$deviceId" params={{ deviceId }}>
    Show the device
  </RouterButton>
)

function ServiceDetails({ service }: { service: Service }) {
  const { canReadEvents } = useViewer()
  const [search, change] = useUrlState('/shell/devices/$deviceId/services/$serviceId')
  return (
    <>
      <ServiceBreadcrumbs device={service.device} />
      <PageHeader
        title={service.name}
        beside={<StateBadge state={service.state} />}
        actions={<ServiceActions service={service} deviceId={service.device.id} />}
      />
      <ServiceFacts service={service} />
      <Tabs
        value={search.tab === 'events' ? 'events' : 'attributes'}
        onChange={(tab) => change({ tab: tab === 'events' ? tab : undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="attributes">Attributes</Tabs.Tab>
          {canReadEvents ? <Tabs.Tab value="events">Events</Tabs.Tab> : null}
        </Tabs.List>
        <Tabs.Panel value="attributes">
          <AttributesPanel
            targetId={service.id}
            isDevice={false}
            context={search.context}
            onContext={(context) => change({ context })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          {canReadEvents ? (
            <ServiceEvents device={service.device} serviceId={service.id} />
          ) : (
            <NotAllowed permissions={['EVENT_READ']}>You cannot see events.</NotAllowed>
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function BulkServicePage({ deviceId }: { deviceId: string }) {
  return (
    <PageHeader title="Bulk service" actions={deviceButton(deviceId)}>
      This is the ID of a device’s bulk service, which represents the device itself. The bulk service has the device’s
      name, state, and attributes.
    </PageHeader>
  )
}
