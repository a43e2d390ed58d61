import { valuesOf } from '../../attributes/attribute-rows.ts'
import type { SelectedDeviceFragment } from './bulk.generated.ts'

export interface AttributeChange {
  name: string
  /** Null removes. */
  value: string | null
  context?: string
}

/** What the change would do to each device, before it is made. */
export interface Preview {
  /** Devices that are changed. */
  ids: string[]
  /** Of those, how many have no value now. */
  fresh: number
  /** Present values that would be replaced or removed, the most frequent first. */
  replaced: { value: string; devices: number }[]
  /** Devices that are as wanted already. */
  unchanged: number
}

/**
 * In a context, a device counts as it reads there; one that reads as wanted by its base value is given the override
 * all the same, since the base may change later, and one without an override has none to lose.
 */
export function previewChange(
  devices: readonly SelectedDeviceFragment[],
  { name, value, context }: AttributeChange,
): Preview {
  const ids: string[] = []
  const counts = new Map<string, number>()
  let fresh = 0
  for (const { id, attribute, overrides = {} } of devices) {
    const present = context === undefined ? attribute : valuesOf(overrides).get(name)
    if ((present ?? null) === value) continue
    ids.push(id)
    if (attribute === null || attribute === undefined) fresh++
    else if (attribute !== value) counts.set(attribute, (counts.get(attribute) ?? 0) + 1)
  }
  const replaced = [...counts].map(([each, count]) => ({ value: each, devices: count }))
  replaced.sort((one, other) => other.devices - one.devices)
  return { ids, fresh, replaced, unchanged: devices.length - ids.length }
}
