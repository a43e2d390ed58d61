import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useQuery } from 'urql'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { devicesOf } from '../../graphql/live-events.ts'
import { useCreation, useTypes } from '../../graphql/use-change.ts'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useLiveRefresh, useRefresh } from '../../hooks/use-refresh.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { ServicesTable } from './device-services-table.tsx'
import { RemoveService } from './remove-service.tsx'
import { ServiceForm } from './service-form.tsx'
import { AddServiceDocument, DeviceServicesDocument, type ServiceRowFragment } from './services.generated.ts'
import { useUpdateService } from './use-update-service.ts'

export function ServicesPanel({ deviceId }: { deviceId: string }) {
  const [query, refetch] = useQuery({
    query: DeviceServicesDocument,
    variables: { id: [deviceId] },
    context: useTypes('Service'),
  })
  const { data, error } = query
  const refresh = useRefresh(query, () => refetch({ requestPolicy: 'network-only' }))
  const add = useCreation(AddServiceDocument, ['Service'])
  const update = useUpdateService()
  const { may } = useViewer()
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<ServiceRowFragment>()
  const [removed, setRemoved] = useState<ServiceRowFragment>()
  useLiveRefresh(refresh, (event) => event.type !== 'ATTRIBUTE_CHANGE' && devicesOf(event).includes(deviceId))

  const services = useLastValue(data?.login?.device[0]?.services)
  const addButton = may('DEVICE_WRITE') ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add a service
    </Button>
  ) : undefined
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="sm">
        <AboutBulkService />
        {services !== undefined && services.length > 0 ? addButton : null}
      </Group>
      <ErrorNotice error={error} title="The services could not be loaded" onRetry={refresh} />
      {services === undefined ? (
        error === undefined && <Loading what="services" />
      ) : services.length === 0 ? (
        <EmptyState icon={<IconPlugConnected />} title="No services yet" action={addButton}>
          A device can offer services, such as SSH on port 22. Devices can also report their services.
        </EmptyState>
      ) : (
        <ServicesTable deviceId={deviceId} services={services} onEdit={setEdited} onRemove={setRemoved} />
      )}
      <ServiceForm
        opened={isAdding}
        onClose={() => setAdding(false)}
        onSave={(fields) => add({ deviceId, ...fields })}
      />
      <ServiceForm
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        service={edited}
        onSave={async (fields) => edited && update(edited, fields)}
      />
      <RemoveService service={removed} onClose={() => setRemoved(undefined)} />
    </Stack>
  )
}

function AboutBulkService() {
  return (
    <Text size="sm" c="dimmed" maw={640}>
      This list omits the bulk service, which represents the device itself and has the device’s ID, name, state, and
      attributes. Where the API takes a service ID, the device’s ID means the bulk service.
    </Text>
  )
}
