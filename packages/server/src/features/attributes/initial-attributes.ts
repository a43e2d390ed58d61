import { applyChanges, assertWithinLimits, type Change, flattenAttributes } from './apply-changes.ts'
import { assertAllowed, assertVisibleNames, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, splitReserved } from './attributes.ts'

/** Parses the changes in a JSON object and checks that this kind of target can have the names. */
function validateAttributes(object: Record<string, unknown>, kind: TargetKind, path: string): Change[] {
  const changes = flattenAttributes(object, path)
  assertAllAllowed(changes, kind, path)
  assertVisibleNames(changes, { context: undefined, path })
  return changes
}

export function assertAllAllowed(changes: readonly Change[], kind: TargetKind, path: string): void {
  for (const { name, value } of changes) assertAllowed(name, value, kind, path)
}

/**
 * Returns the attributes for a new device's rows. `reserved` contains the reserved values, keyed by their column in
 * device_live. `attributes` contains all others. Checks every rule and limit. Ignores null values, because a new
 * device has no attributes to remove.
 */
export function initialAttributes(
  input: Record<string, unknown>,
  path: string,
): { attributes: Attributes; reserved: Record<string, string> } {
  const { after } = applyChanges(emptyObject(), validateAttributes(input, 'device', path))
  assertWithinLimits(after)
  return splitReserved(after)
}
