import { ActionIcon, Group, Table } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { ListTable } from '../../components/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { useViewer } from '../user-settings/viewer.ts'
import { NameCell, StateCells } from './service-cells.tsx'
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
          <NameCell deviceId={deviceId} service={service} />
          <StateCells service={service} />
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
