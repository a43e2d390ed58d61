import { applyChanges, assertWithinLimits, type Change, flattenAttributes } from './apply-changes.ts'
import { assertAllowed, assertVisibleNames, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, splitReserved } from './attributes.ts'

/** Parses the changes in a JSON object for a target of this kind, and checks reserved names. */
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
 * The attributes for the rows of a new device: `attributes` without the reserved ones, and the reserved ones by their columns
 * in device_live. Checks every rule and limit. Null values, which remove attributes elsewhere, are ignored.
 */
export function initialAttributes(
  input: Record<string, unknown>,
  path: string,
): { attributes: Attributes; reserved: Record<string, string> } {
  const { after } = applyChanges(emptyObject(), validateAttributes(input, 'device', path))
  assertWithinLimits(after)
  return splitReserved(after)
}
