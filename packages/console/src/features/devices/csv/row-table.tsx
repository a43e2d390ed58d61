import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** As many as a person looks through; the others are counted. */
export const SHOWN_ROWS = 100

interface RowTableProps {
  label: string
  columns: readonly string[]
  /** How many there are in all; the first of them are given. */
  count: number
  children: ReactNode
}

/** Rows of the file by their lines. */
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
          The first {SHOWN_ROWS} of {count.toLocaleString()}.
        </Text>
      ) : null}
    </>
  )
}
