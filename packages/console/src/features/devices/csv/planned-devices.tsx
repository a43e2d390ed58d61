import { Table, Text } from '@mantine/core'
import type { ApplicationType } from '@muster/fleet-csv/csv/device-services'
import { type Change, describeUpdate } from '@muster/fleet-csv/import/describe-update'
import type { Creation, Update } from '@muster/fleet-csv/import/match-devices'
import { RowTable, SHOWN_ROWS } from './row-table.tsx'

interface UpdatedDevicesProps {
  updates: readonly Update[]
  types: readonly ApplicationType[]
}

export function UpdatedDevices({ updates, types }: UpdatedDevicesProps) {
  return (
    <RowTable label="Changed devices" columns={['Line', 'Device', 'Changes']} count={updates.length}>
      {updates.slice(0, SHOWN_ROWS).map((update) => (
        <Table.Tr key={update.wanted.line}>
          <Table.Td w={70}>{update.wanted.line}</Table.Td>
          <Table.Td>{update.device.name}</Table.Td>
          <Table.Td>
            {describeUpdate(update, types).map((change) => (
              <ChangedValue key={`${change.column} ${change.after}`} change={change} />
            ))}
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}

function ChangedValue({ change: { column, before, after } }: { change: Change }) {
  return (
    <div>
      <Text span inherit c="dimmed">
        {column}:{' '}
      </Text>
      {before === null ? null : (
        <>
          <del>{shortened(before)}</del> →{' '}
        </>
      )}
      <ins style={{ textDecoration: 'none', fontWeight: 600 }}>{shortened(after)}</ins>
      {before === null ? ' (new)' : null}
    </div>
  )
}

const MAX_LENGTH = 120

function shortened(value: string): string {
  if (value === '') return '(empty)'
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value
}

export function NewDevices({ creations }: { creations: readonly Creation[] }) {
  return (
    <RowTable label="New devices" columns={['Line', 'Device', 'Hardware ID', 'Content']} count={creations.length}>
      {creations.slice(0, SHOWN_ROWS).map(({ wanted: { line, name, hardwareId, services, attributes } }) => (
        <Table.Tr key={line}>
          <Table.Td w={70}>{line}</Table.Td>
          <Table.Td>{name}</Table.Td>
          <Table.Td>{hardwareId}</Table.Td>
          <Table.Td>
            {[countOf(services.length, 'service'), countOf(attributes.size, 'attribute')].filter(Boolean).join(', ')}
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}

const countOf = (count: number, noun: string): string =>
  count === 0 ? '' : `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`
