import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { DevicesToFilterByDocument } from '../events.generated.ts'

interface DevicePickerProps {
  /** IDs of the selected devices. */
  value: string[]
  onChange: (value: string[]) => void
}

const TYPING_DELAY_MS = 250

/** Selects devices by part of the name. The server searches, so the picker works with any number of devices. */
export function DevicePicker({ value, onChange }: DevicePickerProps) {
  const [typed, setTyped] = useState('')
  const [name] = useDebouncedValue(typed, TYPING_DELAY_MS)
  const variables = { name: name === '' ? null : name, ids: value }
  const [{ data }] = useQuery({ query: DevicesToFilterByDocument, variables })
  const selected = new Map(data?.login?.device.map((device) => [device.id, device.name]))
  const found = data?.login?.devices.items ?? []
  const options = [
    // Shows the ID of a device without a known name, because the URL and events can refer to deleted devices.
    ...value.map((id) => ({ value: id, label: selected.get(id) ?? id })),
    ...found.filter(({ id }) => !value.includes(id)).map((device) => ({ value: device.id, label: device.name })),
  ]
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
      // Shows all options, because the server has already filtered them.
      filter={(input) => input.options}
      nothingFoundMessage={typed === '' ? 'No devices yet' : 'No matching devices'}
      clearable
      maxValues={100}
      miw={190}
      maw={360}
    />
  )
}
