import { Paper, Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface ListTableProps {
  /** Accessible name of the table. */
  label: string
  /** Headings of the columns. A column of buttons has an empty heading. */
  columns?: readonly string[]
  /** Heading cells to show instead of `columns`. */
  heads?: ReactNode
  children: ReactNode
  minWidth?: number
}

/** Shows a short list as a table that scrolls horizontally in narrow windows. */
export function ListTable({ label, columns = [], heads, children, minWidth = 640 }: ListTableProps) {
  return (
    <Paper withBorder>
      <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
        <Table aria-label={label} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {heads ??
                columns.map((column) =>
                  column === '' ? <Table.Td key="buttons" w={1} /> : <Table.Th key={column}>{column}</Table.Th>,
                )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}
