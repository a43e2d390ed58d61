import { attributeOf, attributeValue } from '../columns/columns.ts'
import type { DeviceRowFragment } from '../devices.generated.ts'
import type { DeviceFilter, Sort } from '../devices-search.ts'

interface List {
  order: Sort
  filter: DeviceFilter
}

/** Whether a change may have moved the device in the list or removed it from the list. */
export function hasMoved(before: DeviceRowFragment, after: DeviceRowFragment, { order, filter }: List): boolean {
  return sortValue(before, order.by) !== sortValue(after, order.by) || !matches(after, filter)
}

function sortValue(device: DeviceRowFragment, by: string): unknown {
  const field = by.startsWith('$svc.') ? by.slice('$svc.'.length) : by
  if (field in device && field !== 'attributes' && field !== 'services') return device[field as keyof DeviceRowFragment]
  return attributeValue(device.attributes, attributeOf(by) ?? by)
}

/**
 * Checks the filter against the data of the row. `where`, services, and attributes that were not fetched count as matching: the
 * server checks `where`.
 */
function matches(device: DeviceRowFragment, { name, state, platform, attributes }: DeviceFilter): boolean {
  if (name !== undefined && !device.name.toLowerCase().includes(name.toLowerCase())) return false
  if (state !== undefined && device.state !== state) return false
  if (platform !== undefined && !platform.includes(device.platform ?? '')) return false
  const wanted = Object.entries(attributes ?? {})
  return (
    device.attributes === undefined ||
    wanted.every(([each, value]) => attributeValue(device.attributes, each) === value)
  )
}
