import { MultiSelect } from '@mantine/core'
import { useState } from 'react'
import { useDeviceOptions } from './use-device-options.ts'

interface DevicePickerProps {
  value: string[]
  onChange: (value: string[]) => void
}

export function DevicePicker({ value, onChange }: DevicePickerProps) {
  const [typed, setTyped] = useState('')
  const options = useDeviceOptions(value, typed)
  return (
    <MultiSelect
      aria-label="Device"
      placeholder={value.length === 0 ? 'Any device' : undefined}
      data={options}
      value={value}
      onChange={onChange}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // Show all options, because the server has already filtered them.
      filter={(input) => input.options}
      nothingFoundMessage={typed === '' ? 'No devices yet' : 'No matching devices'}
      clearable
      maxValues={100}
      miw={190}
      maw={360}
    />
  )
}
