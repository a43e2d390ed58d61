import { parseFilter } from '@muster/filter'
import type { DeviceFilter } from '../devices-search.ts'
import type { Selected } from '../use-selection.ts'

export interface SelectedDevices {
  selected: Selected
  filter: DeviceFilter
}

/** Returns the target of a job that changes all devices that match a filter, except the given devices. */
export function matching({ where = 'id:*', view, context }: DeviceFilter, except: ReadonlySet<string>) {
  const others = [...except].map((id) => JSON.stringify(id)).join(' OR ')
  return { where: others === '' ? where : `(${where}) AND NOT id = (${others})`, view, context }
}

/** Returns whether excluding the devices that the user has deselected makes the filter exceed a limit. */
export function excludesTooMany({ selected, filter }: SelectedDevices): boolean {
  if (selected.kind !== 'all' || selected.except.size === 0) return false
  return parseFilter(matching(filter, selected.except).where).problems.some(({ kind }) => kind === 'limit')
}
