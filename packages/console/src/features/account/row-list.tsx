import { ActionIcon, Button, Group, Input } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Something with a name in a list of a form. */
export interface NamedRow {
  /** Tells rows apart while they are moved and removed. */
  id: string
  name: string
}

/** What a field of a form is given of its list. */
export interface RowsInput<Row> {
  value?: Row[]
  onChange: (rows: Row[]) => void
  error?: ReactNode
}

interface RowListProps<Row extends NamedRow> {
  label: string
  /** One of them: "service", "attribute". */
  what: string
  /** An empty one, its id apart. */
  empty: Omit<Row, 'id'>
  input: RowsInput<Row>
  /** The fields of one, counted from 1. */
  fields: (row: Row, change: (patch: Partial<Row>) => void, number: number) => ReactNode
}

let lastId = 0

/** As many as wanted, each with a button that removes it. */
export function RowList<Row extends NamedRow>({ label, what, empty, input, fields }: RowListProps<Row>) {
  const { value: rows = [], onChange, error } = input
  const change = (id: string, patch: Partial<Row>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)))
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" mt={4} wrap="nowrap">
          {fields(row, (patch) => change(row.id, patch), index + 1)}
          <ActionIcon
            aria-label={`Remove ${what} ${index + 1}`}
            onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        mt={6}
        size="compact-sm"
        variant="subtle"
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange([...rows, { ...empty, id: `row-${++lastId}` } as Row])}
      >
        Add {/^[aeiou]/.test(what) ? 'an' : 'a'} {what}
      </Button>
    </Input.Wrapper>
  )
}

/** A check for forms: every row has a name of its own. */
export function checkNames(rows: readonly NamedRow[], what: string): string | null {
  const names = rows.map(({ name }) => name.trim())
  if (names.includes('')) return `Every ${what} needs a name`
  return new Set(names).size < names.length ? `Two ${what}s have the same name` : null
}
