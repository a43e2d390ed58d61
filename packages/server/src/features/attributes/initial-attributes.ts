import { applyChanges, assertWithinLimits } from './apply-changes.ts'
import { assertVisibleNames } from './attribute-name.ts'
import { type Attributes, emptyObject, splitReserved } from './attributes.ts'
import { assertAllAllowed, flattenAttributes } from './parse-attributes.ts'

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
