import { ActionIcon, Button, Group, Input, NumberInput, Select, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { type ServiceInput, ServiceTypesDocument } from './codes.generated.ts'
import { newRowId } from './row-id.ts'

export interface ServiceRow {
  id: string
  name: string
  /** Id of the application type as text; null for what the port says. */
  application: string | null
  port: number | string
}

interface ServiceRowsProps {
  value?: ServiceRow[]
  onChange: (rows: ServiceRow[]) => void
  error?: ReactNode
}

/** Services by name, type and port, as many as wanted. */
export function ServiceRows({ value: rows = [], onChange, error }: ServiceRowsProps) {
  const [{ data }] = useQuery({ query: ServiceTypesDocument, requestPolicy: 'cache-first' })
  const types = data?.applicationTypes ?? []
  const change = (id: string, patch: Partial<ServiceRow>): void =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...patch } : row)))
  return (
    <Input.Wrapper label="Services" labelElement="div" error={error}>
      {rows.map(({ id, name, application, port }, index) => (
        <Group key={id} gap="xs" mt={4} wrap="nowrap">
          <TextInput
            flex={2}
            aria-label={`Name of service ${index + 1}`}
            placeholder="ssh"
            value={name}
            onChange={({ currentTarget }) => change(id, { name: currentTarget.value })}
          />
          <Select
            flex={2}
            aria-label={`Type of service ${index + 1}`}
            placeholder="by its port"
            clearable
            searchable
            data={types.map((type) => ({ value: String(type.id), label: type.name }))}
            value={application}
            onChange={(chosen) => change(id, { application: chosen })}
          />
          <NumberInput
            flex={1}
            aria-label={`Port of service ${index + 1}`}
            placeholder={portOf(types, application) ?? 'port'}
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            value={port}
            onChange={(chosen) => change(id, { port: chosen })}
          />
          <ActionIcon
            aria-label={`Remove service ${index + 1}`}
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
        onClick={() => onChange([...rows, { id: newRowId(), name: '', application: null, port: '' }])}
      >
        Add a service
      </Button>
    </Input.Wrapper>
  )
}

/** The type's usual port, which is taken where none is given. */
const portOf = (types: readonly { id: number; port: number | null }[], id: string | null): string | undefined =>
  types.find((type) => String(type.id) === id)?.port?.toString()

/** A check for forms. */
export function checkServices(rows: readonly ServiceRow[]): string | null {
  if (rows.some(({ name }) => name.trim() === '')) return 'Every service needs a name'
  const names = rows.map(({ name }) => name.trim())
  return new Set(names).size < names.length ? 'Two services have the same name' : null
}

export const servicesFrom = (rows: readonly ServiceRow[]): ServiceInput[] | null =>
  rows.length === 0
    ? null
    : rows.map(({ name, application, port }) => ({
        name: name.trim(),
        ...(application === null ? {} : { application: Number(application) }),
        ...(port === '' ? {} : { port: Number(port) }),
      }))
