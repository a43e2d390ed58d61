import { Badge, Group, Table, Text } from '@mantine/core'
import { RouterAnchor } from '../../app/links.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import type { ServiceRowFragment } from './services.generated.ts'

interface NameCellProps {
  deviceId: string
  service: Pick<ServiceRowFragment, 'id' | 'name' | 'enabled'>
}

export const NameCell = ({ deviceId, service }: NameCellProps) => (
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
)

interface StateCellsProps {
  service: Pick<ServiceRowFragment, 'state' | 'title' | 'host' | 'port' | 'protocol' | 'lastReported'>
}

export const StateCells = ({ service }: StateCellsProps) => (
  <>
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
  </>
)

export const portText = ({ port, protocol }: Pick<ServiceRowFragment, 'port' | 'protocol'>): string =>
  port === null ? `${protocol}, no port` : `${protocol} ${port}`
