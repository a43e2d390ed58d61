import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { DevicesToFilterByDocument } from './events.generated.ts'

interface DeviceFilterProps {
  /** Ids. */
  value: string[]
  onChange: (value: string[]) => void
}

const AFTER_TYPING_MS = 250

/** Chooses devices by a part of their name, among however many there are. */
export function DeviceFilter({ value, onChange }: DeviceFilterProps) {
  const [typed, setTyped] = useState('')
  const [name] = useDebouncedValue(typed, AFTER_TYPING_MS)
  const variables = { name: name === '' ? null : name, ids: value }
  const [{ data }] = useQuery({ query: DevicesToFilterByDocument, variables })
  const chosen = new Map(data?.login?.device.map((device) => [device.id, device.name]))
  const found = data?.login?.devices.items ?? []
  const choices = [
    // A device that is gone is still in the address, and in events.
    ...value.map((id) => ({ value: id, label: chosen.get(id) ?? id })),
    ...found.filter(({ id }) => !value.includes(id)).map((device) => ({ value: device.id, label: device.name })),
  ]
  return (
    <MultiSelect
      aria-label="Device"
      placeholder={value.length === 0 ? 'Any device' : undefined}
      data={choices}
      value={value}
      onChange={onChange}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server has looked already.
      filter={({ options }) => options}
      nothingFoundMessage="No device has this in its name"
      clearable
      maxValues={100}
      miw={190}
      maw={360}
    />
  )
}
