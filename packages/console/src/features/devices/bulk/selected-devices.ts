import type { DeviceFilter } from '../devices-search.ts'
import type { Selected } from '../selection.ts'

export interface SelectedDevices {
  selected: Selected
  filter: DeviceFilter
}
