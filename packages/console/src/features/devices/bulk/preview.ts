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
 * In a context, a device counts as it reads there; one that reads as wanted by its base value is given the override all the same,
 * since the base may change later.
 */
export function previewChange(
  devices: readonly SelectedDeviceFragment[],
  { value, context }: AttributeChange,
): Preview {
  const ids: string[] = []
  const counts = new Map<string, number>()
  let fresh = 0
  for (const { id, attribute } of devices) {
    const isAsWanted = (attribute ?? null) === value
    if (isAsWanted && (context === undefined || value === null)) continue
    ids.push(id)
    if (attribute === null || attribute === undefined) fresh++
    else if (!isAsWanted) counts.set(attribute, (counts.get(attribute) ?? 0) + 1)
  }
  const replaced = [...counts].map(([each, count]) => ({ value: each, devices: count }))
  replaced.sort((one, other) => other.devices - one.devices)
  return { ids, fresh, replaced, unchanged: devices.length - ids.length }
}
