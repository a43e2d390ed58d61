import { Button, Group, type GroupProps, Paper, Table, type TableTrProps } from '@mantine/core'
import { Children, type CSSProperties, isValidElement, type ReactNode } from 'react'
import classes from './list-table.module.css'

interface ListTableProps {
  label: string
  /** The headings of the columns. A column of buttons has an empty heading. */
  columns: readonly string[]
  /** Heading cells with buttons that sort the list. They show the same headings as `columns`. */
  heads?: ReactNode
  children: ReactNode
  minWidth?: number
}

/** The maximum width, in pixels, of a table that fits on a phone screen. */
const PHONE_WIDTH = 326

/** On narrow screens, shows the rows as cards if the table is too wide for a phone. */
export function ListTable({ label, columns, heads, children, minWidth = 640 }: ListTableProps) {
  const isWide = minWidth > PHONE_WIDTH
  return (
    <Paper withBorder>
      <Table.ScrollContainer
        minWidth={minWidth}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={label}
        className={isWide ? classes.cards : undefined}
        data-sorts={heads !== undefined || undefined}
        style={isWide ? headingsOf(columns) : undefined}
      >
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

/** Passes the headings to the style sheet, which shows them in the cards. */
const headingsOf = (columns: readonly string[]): CSSProperties =>
  Object.fromEntries(columns.map((column, index) => [`--heading-${index + 1}`, JSON.stringify(column)]))

/** A row of the table. Each child becomes a cell, or is already a `Table.Td`. */
export const ListRow = ({ children, ...row }: TableTrProps) => (
  <Table.Tr {...row}>
    {Children.map(children, (child) =>
      isValidElement(child) && child.type === Table.Td ? child : <Table.Td>{child}</Table.Td>,
    )}
  </Table.Tr>
)

interface PagingProps extends GroupProps {
  /** Labels of the buttons for the first page and for the next page. Default: `Newest` and `Older`. */
  labels?: readonly [first: string, next: string]
  /** ID or cursor after which the page begins. Undefined for the first page. */
  after: string | undefined
  /** ID or cursor after which the next page begins. Null or undefined if there is no next page. */
  next: string | null | undefined
  onPage: (after: string | undefined) => void
}

export function Paging({ labels = ['Newest', 'Older'], after, next, onPage, ...group }: PagingProps) {
  return (
    <Group gap="xs" {...group}>
      {after === undefined ? null : (
        <Button size="xs" variant="default" onClick={() => onPage(undefined)}>
          {labels[0]}
        </Button>
      )}
      {next == null ? null : (
        <Button size="xs" variant="default" onClick={() => onPage(next)}>
          {labels[1]}
        </Button>
      )}
    </Group>
  )
}
