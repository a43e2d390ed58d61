import { Select, Stack, TextInput } from '@mantine/core'
import type { RefObject } from 'react'
import { useQuery } from 'urql'
import { FilterField } from './filter-field.tsx'
import { DeviceViewNamesDocument } from './filters.generated.ts'

export interface SelectionValues {
  where: string | null
  view: string | null
  context: string | null
}

interface DeviceSelectionProps {
  value: SelectionValues
  onChange(value: SelectionValues): void
  box: RefObject<HTMLDivElement | null>
  about: { where: string; view: string }
  placeholder: string
}

export function DeviceSelection({ value, onChange, box, about, placeholder }: DeviceSelectionProps) {
  const [{ data }] = useQuery({ query: DeviceViewNamesDocument, requestPolicy: 'cache-and-network' })
  const views = (data?.login?.views ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Stack>
      <FilterField
        kind="DEVICES"
        label="Devices"
        description={about.where}
        placeholder={placeholder}
        value={value.where}
        onChange={(where) => onChange({ ...value, where })}
        context={value.context ?? undefined}
        box={box}
      />
      {views.length === 0 && value.view === null ? null : (
        <Select
          label="View"
          description={about.view}
          placeholder="All devices"
          data={views}
          value={value.view}
          onChange={(view) => onChange({ ...value, view })}
          clearable
          searchable
        />
      )}
      <TextInput
        label="Context"
        description="The filter reads the values in this context. Leave empty to use the view’s context or, without one, base values."
        value={value.context ?? ''}
        onChange={(event) => onChange({ ...value, context: event.currentTarget.value || null })}
      />
    </Stack>
  )
}
