import { badInput, limitExceeded } from '../../errors.ts'
import { assertStorable } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import {
  type AttributeName,
  assertAllowed,
  joinAttributeName,
  level,
  parseAttributeName,
  type TargetKind,
} from './attribute-name.ts'
import type { NameKind } from './attributes.ts'

/** If the value is null, the change removes the attribute or the whole group. */
export interface Change {
  name: AttributeName
  value: string | null
}

export function flattenAttributes(object: Record<string, unknown>, path: string): Change[] {
  const changes = Object.entries(object).flatMap(([key, value]) => changesOf(key, value, memberPath(path, key)))
  assertNoneTwice(changes, path)
  return changes
}

function changesOf(key: string, value: unknown, path: string): Change[] {
  const name = parseAttributeName(key, path)
  if (!isObject(value) || name.length === 2) return [{ name, value: attributeValue(value, path) }]
  const members = Object.entries(value)
  if (members.length === 0) throw badInput(`${path} must not be an empty object: to remove the whole group, pass null`)
  return members.map(([subName, member]) => {
    const subPath = memberPath(path, subName)
    return { name: [name[0], level(subName, subPath)], value: attributeValue(member, subPath) }
  })
}

export function attributeValue(value: unknown, path: string): string | null {
  if (value === null) return null
  if (typeof value !== 'string') throw badInput(`${path} must be a string or null, found ${kindOfJson(value)}`)
  assertStorable(value, path)
  const bytes = Buffer.byteLength(value)
  if (bytes > limits.valueBytes)
    throw limitExceeded(`${path} may have at most ${limits.valueBytes} bytes, found ${bytes}`)
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

export const kindOfName = (name: AttributeName): NameKind => (name.length === 1 ? 'value' : 'group')

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

export function assertAllAllowed(changes: readonly Change[], kind: TargetKind, path: string): void {
  for (const { name, value } of changes) assertAllowed(name, value, kind, path)
}
