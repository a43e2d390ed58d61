import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { DevicesToFilterByDocument } from '../events.generated.ts'

const TYPING_DELAY_MS = 250

/** Returns the selected devices and up to 20 others that match `typed`, because an account may have many devices. */
export function useDeviceOptions(selected: readonly string[], typed: string): { value: string; label: string }[] {
  const [name] = useDebouncedValue(typed, TYPING_DELAY_MS)
  const variables = { name: name === '' ? null : name, ids: [...selected] }
  const [{ data }] = useQuery({ query: DevicesToFilterByDocument, variables })
  const names = new Map(data?.login?.device.map((device) => [device.id, device.name]))
  const found = data?.login?.devices.items ?? []
  return [
    // Show the ID of a device without a known name, because the URL and events can refer to deleted devices.
    ...selected.map((id) => ({ value: id, label: names.get(id) ?? id })),
    ...found.filter(({ id }) => !selected.includes(id)).map((device) => ({ value: device.id, label: device.name })),
  ]
}
