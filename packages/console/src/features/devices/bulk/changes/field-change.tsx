import { Select } from '@mantine/core'
import { useState } from 'react'
import { JobForm } from '../job-form.tsx'
import type { ChangeFormProps } from './change-form-props.ts'
import { ValueInput } from './value-input.tsx'

const fields = [
  { value: 'platform', label: 'Platform' },
  { value: 'hardwareId', label: 'Hardware ID' },
  { value: 'name', label: 'Name' },
]

export function FieldChange({ children, onClose, onSubmit }: ChangeFormProps) {
  const [field, setField] = useState('platform')
  const [value, setValue] = useState('')
  const label = fields.find((each) => each.value === field)?.label
  return (
    <JobForm
      onClose={onClose}
      onSubmit={() => onSubmit(`Set ${label}`, { update: { [field]: value === '' ? null : value } })}
    >
      {children}
      <Select
        label="Field"
        allowDeselect={false}
        data={fields}
        value={field}
        onChange={(chosen) => setField(chosen ?? 'platform')}
      />
      <ValueInput value={value} onChange={setValue} />
    </JobForm>
  )
}
