import { ApiError, limitExceeded } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { joinAttributeName } from './attribute-name.ts'
import {
  type Attributes,
  byteSize,
  copyAttributes,
  countNames,
  emptyObject,
  type NameKind,
  valueAt,
} from './attributes.ts'
import { type Change, kindOfName } from './parse-attributes.ts'

/** The old and new value of each changed name, as recorded in events. */
export type Changes = Record<string, { old: string | null; new: string | null }>

/** Returns all attributes after the changes, and the differences from `before`, which is not modified. */
export function applyChanges(before: Attributes, changes: readonly Change[]): { after: Attributes; changes: Changes } {
  const after = copyAttributes(before)
  const differences: Changes = emptyObject()
  for (const change of changes.flatMap((one) => expandGroup(after, one))) {
    const old = valueAt(after, change.name)
    if (old === change.value) continue
    differences[joinAttributeName(change.name)] = { old, new: change.value }
    setValue(after, change)
  }
  return { after, changes: differences }
}

function expandGroup(attributes: Attributes, change: Change): Change[] {
  const [first] = change.name
  const existing = attributes[first]
  if (change.name.length === 2 || change.value !== null || typeof existing !== 'object') return [change]
  return Object.keys(existing).map((subName) => ({ name: [first, subName], value: null }))
}

function setValue(attributes: Attributes, { name: [first, subName], value }: Change): void {
  if (subName === undefined) {
    if (value === null) delete attributes[first]
    else attributes[first] = value
    return
  }
  const existing = attributes[first]
  const group = typeof existing === 'object' ? existing : emptyObject<string>()
  if (value === null) delete group[subName]
  else group[subName] = value
  if (Object.keys(group).length === 0) delete attributes[first]
  else attributes[first] = group
}

/**
 * Throws CONFLICT if a change would turn an existing value into a group, or an existing group into a value.
 * `kindOnTarget` returns the kind of a top-level name in the base values or in a context, or undefined for an unused
 * name.
 */
export function assertNoConflict(
  changes: readonly Change[],
  kindOnTarget: (name: string) => NameKind | undefined,
): void {
  for (const { name, value } of changes) {
    const kind = kindOnTarget(name[0])
    if (value === null || kind === undefined || kind === kindOfName(name)) continue
    const text = JSON.stringify(joinAttributeName(name))
    const why = `${JSON.stringify(name[0])} is already a ${kind} in the base values or in a context`
    throw new ApiError('CONFLICT', `${text} cannot be set: ${why}; remove the ${kind} or choose another name`)
  }
}

export function assertWithinLimits(attributes: Attributes): void {
  const names = countNames(attributes)
  if (names > limits.namesPerTarget)
    throw limitExceeded(
      `a user, device, or service can have at most ${limits.namesPerTarget} attribute names in its base values or in one context, found ${names}`,
    )
  const bytes = byteSize(attributes)
  if (bytes > limits.bytesPerTarget)
    throw limitExceeded(
      `a user, device, or service can have at most ${limits.bytesPerTarget} bytes of attributes (as JSON) in its base values or in one context, found ${bytes}`,
    )
}
