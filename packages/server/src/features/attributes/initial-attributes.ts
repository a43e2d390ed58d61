import { applyChanges, assertWithinLimits, type Change, flattenAttributes } from './apply-changes.ts'
import { assertAllowed, assertVisibleNames, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, splitReserved } from './attributes.ts'

function validateAttributes(object: Record<string, unknown>, kind: TargetKind, path: string): Change[] {
  const changes = flattenAttributes(object, path)
  assertAllAllowed(changes, kind, path)
  assertVisibleNames(changes, { path })
  return changes
}

export function assertAllAllowed(changes: readonly Change[], kind: TargetKind, path: string): void {
  for (const { name, value } of changes) assertAllowed(name, value, kind, path)
}

/**
 * `reserved` contains the reserved values, keyed by their column in device_live. `attributes` contains all others.
 * Ignores null values, because a new device has no attributes to remove.
 */
export function initialAttributes(
  input: Record<string, unknown>,
  path: string,
): { attributes: Attributes; reserved: Record<string, string> } {
  const { after } = applyChanges(emptyObject(), validateAttributes(input, 'device', path))
  assertWithinLimits(after)
  return splitReserved(after)
}
