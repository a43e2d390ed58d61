import type { DeviceFilter } from '../devices-search.ts'
import type { Selected } from '../use-selection.ts'

export interface SelectedDevices {
  selected: Selected
  filter: DeviceFilter
}
