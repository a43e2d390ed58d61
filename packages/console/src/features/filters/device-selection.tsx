import { Select, Stack, TextInput } from '@mantine/core'
import type { RefObject } from 'react'
import { useViews } from '../views/use-views.ts'
import { FilterField } from './filter-field.tsx'

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
  const { views = [] } = useViews('DEVICES')
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
          data={views.map(({ id, name }) => ({ value: id, label: name }))}
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
