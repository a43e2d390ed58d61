import { valuesOf } from '../../attributes/attribute-rows.ts'
import type { SelectedDeviceFragment } from './bulk.generated.ts'

export interface AttributeChange {
  name: string
  /** New value of the attribute, or null to remove the attribute. */
  value: string | null
  context?: string
}

/** The effects of a change, which the console computes before the change. */
export interface Preview {
  /** IDs of the devices that would change. */
  ids: string[]
  /** Number of devices in `ids` that currently have no value. */
  withoutValue: number
  /** Current values that the change would replace or remove, most frequent first. */
  replaced: { value: string; devices: number }[]
  /** Number of devices that already have the value. */
  unchanged: number
}

/**
 * Previews a change. A context overrides the value even on a device whose base value is the same, because the base
 * value may change later. Removing an override changes only devices that have one.
 */
export function previewChange(
  devices: readonly SelectedDeviceFragment[],
  { name, value, context }: AttributeChange,
): Preview {
  const ids: string[] = []
  const counts = new Map<string, number>()
  let withoutValue = 0
  for (const { id, attribute, overrides = {} } of devices) {
    const current = context === undefined ? attribute : valuesOf(overrides).get(name)
    if ((current ?? null) === value) continue
    ids.push(id)
    if (attribute === null || attribute === undefined) withoutValue++
    else if (attribute !== value) counts.set(attribute, (counts.get(attribute) ?? 0) + 1)
  }
  const replaced = [...counts].map(([each, count]) => ({ value: each, devices: count }))
  replaced.sort((one, other) => other.devices - one.devices)
  return { ids, withoutValue, replaced, unchanged: devices.length - ids.length }
}
