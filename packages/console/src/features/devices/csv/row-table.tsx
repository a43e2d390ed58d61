import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export const SHOWN_ROWS = 100

interface RowTableProps {
  label: string
  columns: readonly string[]
  /** The total number of rows. `children` contains at most the first `SHOWN_ROWS` rows. */
  count: number
  children: ReactNode
}

export function RowTable({ label, columns, count, children }: RowTableProps) {
  return (
    <>
      <Table.ScrollContainer minWidth={360} maxHeight={320} type="native" tabIndex={0} role="region" aria-label={label}>
        <Table aria-label={label} stickyHeader fz="sm" style={{ overflowWrap: 'anywhere' }}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {count > SHOWN_ROWS ? (
        <Text size="xs" c="dimmed" mt={4}>
          Showing the first {SHOWN_ROWS} of {count.toLocaleString()} rows.
        </Text>
      ) : null}
    </>
  )
}
