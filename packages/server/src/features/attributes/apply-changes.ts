import { ApiError, badInput } from '../../errors.ts'
import { assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import { type AttributeName, joinAttributeName, level, parseAttributeName } from './attribute-name.ts'
import {
  type Attributes,
  byteSize,
  copyAttributes,
  countNames,
  emptyObject,
  type NameKind,
  valueAt,
} from './attributes.ts'

/** If the value is null, the change removes the attribute or the whole group. */
export interface Change {
  name: AttributeName
  value: string | null
}

/** The old and new value of each name, as recorded in events. */
export type Changes = Record<string, { old: string | null; new: string | null }>

export function flattenAttributes(object: Record<string, unknown>, path: string): Change[] {
  const changes = Object.entries(object).flatMap(([key, value]) => changesOf(key, value, memberPath(path, key)))
  assertNoneTwice(changes, path)
  return changes
}

function changesOf(key: string, value: unknown, path: string): Change[] {
  const name = parseAttributeName(key, path)
  if (!isObject(value) || name.length === 2) return [{ name, value: attributeValue(value, path) }]
  const members = Object.entries(value)
  if (members.length === 0) throw badInput(`${path} must not be an empty object: pass null to remove a group`)
  return members.map(([subName, member]) => {
    const subPath = memberPath(path, subName)
    return { name: [name[0], level(subName, subPath)], value: attributeValue(member, subPath) }
  })
}

export function attributeValue(value: unknown, path: string): string | null {
  if (value === null) return null
  if (typeof value !== 'string') {
    throw badInput(`${path} must be a string or null, found ${kindOfJson(value)}`)
  }
  assertStorable(value, path)
  const bytes = Buffer.byteLength(value)
  if (bytes > limits.valueBytes) {
    throw new ApiError('LIMIT_EXCEEDED', `${path} may have at most ${limits.valueBytes} bytes, found ${bytes}`)
  }
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function kindOfJson(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  // Only an object literal in a document can contain a variable that is not set.
  if (value === undefined) return 'a variable that is not set'
  return typeof value === 'object' ? 'an object: names have at most two levels' : `a ${typeof value}`
}

const plainKey = /^[\p{L}\p{N}_$.-]+$/u

const memberPath = (path: string, key: string): string =>
  plainKey.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`

const kindOfName = (name: AttributeName): NameKind => (name.length === 1 ? 'value' : 'group')

function assertNoneTwice(changes: readonly Change[], path: string): void {
  const names = new Set<string>()
  const kinds = new Map<string, NameKind>()
  for (const { name } of changes) {
    const text = joinAttributeName(name)
    if (names.has(text)) throw badInput(`${path} contains the name ${JSON.stringify(text)} twice: pass each name once`)
    names.add(text)
    const kind = kinds.get(name[0])
    if (kind !== undefined && kind !== kindOfName(name)) {
      const twice = `${JSON.stringify(name[0])} twice, as a value and as a group`
      throw badInput(`${path} contains the name ${twice}: pass only one of them`)
    }
    kinds.set(name[0], kindOfName(name))
  }
}

/** Returns the changed attributes and the differences. Does not modify `before`. */
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

/** `kindOnTarget` returns the kind of a top-level name in the base or in contexts, or undefined for an unused name. */
export function assertNoConflict(
  changes: readonly Change[],
  kindOnTarget: (name: string) => NameKind | undefined,
): void {
  for (const { name, value } of changes) {
    const kind = kindOnTarget(name[0])
    if (value === null || kind === undefined || kind === kindOfName(name)) continue
    const text = JSON.stringify(joinAttributeName(name))
    const why = `${JSON.stringify(name[0])} is already a ${kind}, in the base or in a context`
    throw new ApiError('CONFLICT', `${text} cannot be set: ${why}; remove the ${kind} or choose another name`)
  }
}

export function assertWithinLimits(attributes: Attributes): void {
  const names = countNames(attributes)
  if (names > limits.namesPerTarget) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `a user, device, or service can have at most ${limits.namesPerTarget} attribute names in its base values or in one context, found ${names}`,
    )
  }
  const bytes = byteSize(attributes)
  if (bytes > limits.bytesPerTarget) {
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `a user, device, or service can have at most ${limits.bytesPerTarget} bytes of attributes (as JSON) in its base values or in one context, found ${bytes}`,
    )
  }
}
