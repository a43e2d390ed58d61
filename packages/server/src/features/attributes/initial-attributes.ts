import { applyChanges, assertWithinLimits, type Change, flattenAttributes } from './apply-changes.ts'
import { assertAllowed, assertVisibleNames, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, splitReserved } from './attributes.ts'

export function assertAllAllowed(changes: readonly Change[], kind: TargetKind, path: string): void {
  for (const { name, value } of changes) assertAllowed(name, value, kind, path)
}

/** Ignores null values, because a new device has no attributes to remove. */
export function initialAttributes(
  input: Record<string, unknown>,
  path: string,
): { attributes: Attributes; reserved: Record<string, string> } {
  const changes = flattenAttributes(input, path)
  assertAllAllowed(changes, 'device', path)
  assertVisibleNames(changes, { path })
  const { after } = applyChanges(emptyObject(), changes)
  assertWithinLimits(after)
  return splitReserved(after)
}
