import { assertAllowed, assertVisibleNames, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, splitReserved } from './attributes.ts'
import { applyChanges, assertWithinLimits, type Change, flattenAttributes } from './merge.ts'

/** The changes that a JSON object asks for on a target of this kind, its form and reserved names checked. */
export function validateAttributes(object: Record<string, unknown>, kind: TargetKind, path: string): Change[] {
  const changes = flattenAttributes(object, path)
  assertAllAllowed(changes, kind, path)
  assertVisibleNames(changes, { context: undefined, path })
  return changes
}

export function assertAllAllowed(changes: readonly Change[], kind: TargetKind, path: string): void {
  for (const { name, value } of changes) assertAllowed(name, value, kind, path)
}

/**
 * What a new device's rows hold of the attributes that it is registered with: `attributes` without the reserved ones, and
 * those by their columns of device_live. Every rule and limit is checked; null, which removes elsewhere, counts for nothing.
 */
export function initialAttributes(
  input: Record<string, unknown>,
  path: string,
): { attributes: Attributes; reserved: Record<string, string> } {
  const { after } = applyChanges(emptyObject(), validateAttributes(input, 'device', path))
  assertWithinLimits(after)
  return splitReserved(after)
}
