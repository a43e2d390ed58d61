import { ActionIcon, Button, Group, Input, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { newRowId } from './row-id.ts'

export interface AttributeRow {
  id: string
  name: string
  value: string
}

interface AttributeRowsProps {
  value?: AttributeRow[]
  onChange: (rows: AttributeRow[]) => void
  error?: ReactNode
}

/** Names and values, as many as wanted. */
export function AttributeRows({ value: rows = [], onChange, error }: AttributeRowsProps) {
  const change = (id: string, patch: Partial<AttributeRow>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)))
  return (
    <Input.Wrapper label="Attributes" labelElement="div" error={error}>
      {rows.map(({ id, name, value }, index) => (
        <Group key={id} gap="xs" mt={4} wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={`Name of attribute ${index + 1}`}
            placeholder="site"
            value={name}
            onChange={({ currentTarget }) => change(id, { name: currentTarget.value })}
          />
          <TextInput
            flex={2}
            aria-label={`Value of attribute ${index + 1}`}
            placeholder="oslo"
            value={value}
            onChange={({ currentTarget }) => change(id, { value: currentTarget.value })}
          />
          <ActionIcon
            aria-label={`Remove attribute ${index + 1}`}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
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
        onClick={() => onChange([...rows, { id: newRowId(), name: '', value: '' }])}
      >
        Add an attribute
      </Button>
    </Input.Wrapper>
  )
}

/** A check for forms; the API judges the names themselves. */
export function checkAttributes(rows: readonly AttributeRow[]): string | null {
  if (rows.some(({ name }) => name.trim() === '')) return 'Every attribute needs a name'
  const names = rows.map(({ name }) => name.trim())
  return new Set(names).size < names.length ? 'A name is given twice' : null
}

export const attributesFrom = (rows: readonly AttributeRow[]): Record<string, string> | null =>
  rows.length === 0 ? null : Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]))
