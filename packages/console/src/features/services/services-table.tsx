import { ActionIcon, Badge, Group, Table, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { RouterAnchor } from '../../app/links.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import type { ServiceRowFragment } from './services.generated.ts'

interface ServicesTableProps {
  deviceId: string
  services: readonly ServiceRowFragment[]
  onEdit(service: ServiceRowFragment): void
  onRemove(service: ServiceRowFragment): void
}

const columns = ['Name', 'State', 'Type', 'Host', 'Port', 'Last reported', 'Added', '']

export function ServicesTable({ deviceId, services, onEdit, onRemove }: ServicesTableProps) {
  const { may } = useViewer()
  return (
    <ListTable label="Services" columns={columns} minWidth={760}>
      {services.map((service) => (
        <Table.Tr key={service.id}>
          <Table.Td>
            <Group gap="xs">
              <RouterAnchor
                to="/devices/$deviceId/services/$serviceId"
                params={{ deviceId, serviceId: service.id }}
                inherit
                style={{ overflowWrap: 'anywhere' }}
              >
                {service.name}
              </RouterAnchor>
              {service.enabled ? null : <Badge color="gray">disabled</Badge>}
            </Group>
          </Table.Td>
          <Table.Td>
            <StateBadge state={service.state} />
          </Table.Td>
          <Table.Td>{service.title}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            {service.host ?? (
              <Text span inherit c="dimmed">
                the device
              </Text>
            )}
          </Table.Td>
          <Table.Td>{portText(service)}</Table.Td>
          <Table.Td>
            <Time value={service.lastReported} />
          </Table.Td>
          <Table.Td>
            <Time value={service.created} />
          </Table.Td>
          <Table.Td>
            {may('DEVICE_WRITE') ? (
              <Group gap={0} wrap="nowrap">
                <ActionIcon size="sm" aria-label={`Edit ${service.name}`} onClick={() => onEdit(service)}>
                  <IconPencil size={16} />
                </ActionIcon>
                <ActionIcon size="sm" aria-label={`Remove ${service.name}`} onClick={() => onRemove(service)}>
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            ) : null}
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

export const portText = ({ port, protocol }: Pick<ServiceRowFragment, 'port' | 'protocol'>): string =>
  port === null ? `${protocol}, no port` : `${protocol} ${port}`
