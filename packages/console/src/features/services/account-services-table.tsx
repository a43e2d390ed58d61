import { Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { RouterAnchor } from '../../app/links.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { type Sort, writeSort } from '../devices/devices-search.ts'
import { NameCell, StateCells } from './service-cells.tsx'
import type { ServicePageQuery } from './services.generated.ts'

type Listed = NonNullable<ServicePageQuery['login']>['services']['items'][number]

const columns: { label: string; sort?: string }[] = [
  { label: 'Name', sort: 'name' },
  { label: 'Device', sort: 'device.name' },
  { label: 'State', sort: 'state' },
  { label: 'Type', sort: 'application' },
  { label: 'Host' },
  { label: 'Port', sort: 'port' },
  { label: 'Last reported' },
]

interface ServicesListProps {
  services: readonly Listed[]
  sort: Sort
  onSort(sort: string): void
}

export function ServicesList({ services, sort, onSort }: ServicesListProps) {
  const heads = columns.map(({ label, sort: by }) =>
    by === undefined ? (
      <Table.Th key={label}>{label}</Table.Th>
    ) : (
      <SortHead key={label} label={label} by={by} sort={sort} onSort={onSort} />
    ),
  )
  return (
    <ListTable label="Services" columns={columns.map(({ label }) => label)} heads={heads} minWidth={820}>
      {services.map((service) => (
        <Table.Tr key={service.id}>
          <NameCell deviceId={service.device.id} service={service} />
          <Table.Td>
            <RouterAnchor
              to="/devices/$deviceId"
              params={{ deviceId: service.device.id }}
              inherit
              style={{ overflowWrap: 'anywhere' }}
            >
              {service.device.name}
            </RouterAnchor>
          </Table.Td>
          <StateCells service={service} />
        </Table.Tr>
      ))}
    </ListTable>
  )
}

interface SortHeadProps {
  label: string
  by: string
  sort: Sort
  onSort(sort: string): void
}

function SortHead({ label, by, sort, onSort }: SortHeadProps) {
  const isSorted = sort.by === by
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp
  return (
    <Table.Th aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}>
      <UnstyledButton
        fw={700}
        fz="inherit"
        title={`Sort by ${label}`}
        onClick={() => onSort(writeSort({ by, isDescending: isSorted && !sort.isDescending }))}
      >
        {label} {isSorted ? <Arrow size={14} aria-hidden="true" style={{ verticalAlign: 'middle' }} /> : null}
      </UnstyledButton>
    </Table.Th>
  )
}
