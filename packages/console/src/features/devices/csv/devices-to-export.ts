import type { DeviceFilter } from '@muster/fleet-csv/list-devices'
import type { SelectedDevices } from '../bulk/selected-devices.ts'

/** Devices to ask for, as lists of the API, and which of those that come are meant. */
export interface ExportSource {
  lists: DeviceFilter[]
  isWanted(id: string): boolean
}

const MOST_IDS = 1000

export function sourceOf({ selected, filter }: SelectedDevices): ExportSource {
  if (selected.kind === 'all') return { lists: [filter], isWanted: (id) => !selected.except.has(id) }
  const ids = [...selected.ids]
  const groups = Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, group) =>
    ids.slice(group * MOST_IDS, (group + 1) * MOST_IDS),
  )
  return { lists: groups.map((id) => ({ id })), isWanted: () => true }
}
