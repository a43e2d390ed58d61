import { ActionIcon, Button, Group, Input } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export interface NamedRow {
  id: string
  name: string
}

export interface ListInput<Row> {
  value?: Row[]
  onChange: (rows: Row[]) => void
  error?: ReactNode
  'data-path'?: string
}

interface ListFieldProps<Row extends NamedRow> {
  label: string
  /** The singular noun for an entry, such as "service" or "attribute". */
  what: string
  empty: Omit<Row, 'id'>
  input: ListInput<Row>
  /** Returns the input fields of a row. `number` is the position of the row, starting at 1. */
  fields: (row: Row, change: (patch: Partial<Row>) => void, number: number) => ReactNode
}

let lastId = 0

export function ListField<Row extends NamedRow>({ label, what, empty, input, fields }: ListFieldProps<Row>) {
  const { value: rows = [], onChange, error } = input
  const change = (id: string, patch: Partial<Row>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)))
  return (
    <Input.Wrapper label={label} labelElement="div" error={error} data-path={input['data-path']}>
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

/** Checks only for empty and duplicate names. The server checks all other rules. */
export function checkNames(rows: readonly NamedRow[], what: string): string | null {
  const names = rows.map(({ name }) => name.trim())
  if (names.includes('')) return `Enter a name for every ${what}`
  return new Set(names).size < names.length
    ? `Two ${what}s have the same name. Enter a different name for each ${what}.`
    : null
}
