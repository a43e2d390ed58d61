import type { DeviceFilter } from '@muster/fleet-csv/list-devices'
import type { SelectedDevices } from '../bulk/selected-devices.ts'

export interface ExportSource {
  filters: DeviceFilter[]
  isIncluded(id: string): boolean
}

const MAX_IDS = 1000

export function exportSourceOf({ selected, filter }: SelectedDevices): ExportSource {
  if (selected.kind === 'all') return { filters: [filter], isIncluded: (id) => !selected.except.has(id) }
  const ids = [...selected.ids]
  const groups = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, group) =>
    ids.slice(group * MAX_IDS, (group + 1) * MAX_IDS),
  )
  return { filters: groups.map((id) => ({ id })), isIncluded: () => true }
}
