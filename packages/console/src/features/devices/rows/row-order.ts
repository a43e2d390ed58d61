import { attributeOf, attributeValue } from '../columns/columns.ts'
import type { DeviceRowFragment } from '../devices.generated.ts'
import { readSort } from '../devices-search.ts'

export const hasMoved = (before: DeviceRowFragment, after: DeviceRowFragment, sortBy: readonly string[]): boolean =>
  sortBy.some((key) => sortValue(before, readSort(key).by) !== sortValue(after, readSort(key).by))

function sortValue(device: DeviceRowFragment, by: string): unknown {
  const field = by.startsWith('$svc.') ? by.slice('$svc.'.length) : by
  if (field in device && field !== 'attributes' && field !== 'services') return device[field as keyof DeviceRowFragment]
  return attributeValue(device.attributes, attributeOf(by) ?? by)
}
