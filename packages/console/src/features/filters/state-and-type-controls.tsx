import { MultiSelect, Select } from '@mantine/core'
import { chooseValues, valuesOf } from './conditions.ts'

interface ControlProps {
  where: string | undefined
  onChange(where: string | undefined): void
}

export const StateControl = ({ where, onChange }: ControlProps) => (
  <Select
    aria-label="State"
    placeholder="Any state"
    data={[
      { value: 'active', label: 'Active' },
      { value: 'inactive', label: 'Inactive' },
    ]}
    value={valuesOf(where, 'state')[0] ?? null}
    onChange={(state) => onChange(chooseValues(where, 'state', state === null ? [] : [state]))}
    clearable
    w={130}
  />
)

interface ServiceTypeControlProps extends ControlProps {
  subject: 'application' | 'services.application'
  types: readonly { id: number; name: string }[]
  placeholder: string
}

export function ServiceTypeControl({ where, onChange, subject, types, placeholder }: ServiceTypeControlProps) {
  const chosen = valuesOf(where, subject)
  return (
    <MultiSelect
      aria-label="Service type"
      placeholder={chosen.length === 0 ? placeholder : undefined}
      data={types.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={chosen}
      onChange={(values) => onChange(chooseValues(where, subject, values))}
      searchable
      clearable
      w={160}
    />
  )
}
