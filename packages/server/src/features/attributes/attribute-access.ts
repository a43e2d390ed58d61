import type { Condition, ResolvedFilter } from '@muster/filter'
import { ApiError } from '../../errors.ts'
import { namesOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { mapConditions } from '../filters/map-conditions.ts'
import { covers, coversGroup } from '../restrictions/name-patterns.ts'
import { type AttributeName, joinAttributeName } from './attribute-name.ts'
import { type Attributes, emptyObject } from './attributes.ts'

type Restricted = Pick<Viewer, 'restriction' | 'reach'>

/** Names in `write` are readable too. */
const reads = (viewer: Restricted, allows: (pattern: string) => boolean): boolean =>
  (namesOf(viewer) ?? []).every(({ read, write }) => [...read, ...write].some(allows))

export const isReadableName = (viewer: Restricted, name: string): boolean =>
  reads(viewer, (pattern) => covers(pattern, name))

/** Checks whether the viewer can read every name in a group. */
const isReadableGroup = (viewer: Restricted, group: string): boolean =>
  reads(viewer, (pattern) => coversGroup(pattern, group))

const isReadable = (viewer: Restricted, name: AttributeName): boolean => isReadableName(viewer, joinAttributeName(name))

export function assertReadable(viewer: Restricted, name: AttributeName): void {
  assertReadableText(viewer, joinAttributeName(name))
}

export function assertReadableText(viewer: Restricted, name: string): void {
  if (!isReadableName(viewer, name)) throw forbidden(`you cannot read the attribute ${JSON.stringify(name)}`)
}

const forbidden = (message: string): ApiError => new ApiError('FORBIDDEN', message, { reason: 'attribute' })

/** Throws FORBIDDEN if the viewer may read only some attributes. Call before using data that depends on all of them. */
export function assertReadsAll(viewer: Restricted, what: string): void {
  if (namesOf(viewer) !== undefined) throw forbidden(`${what} depends on attributes that you cannot read`)
}

/** Throws FORBIDDEN if the viewer cannot set the attribute or, with `isGroup`, cannot remove the whole group. */
export function assertWritable(
  viewer: Restricted,
  { name, isGroup = false }: { name: AttributeName; isGroup?: boolean },
): void {
  const text = joinAttributeName(name)
  const allows = (pattern: string): boolean => (isGroup ? coversGroup(pattern, text) : covers(pattern, text))
  if ((namesOf(viewer) ?? []).every(({ write }) => write.some(allows))) return
  throw forbidden(`you cannot set the attribute ${JSON.stringify(text)}`)
}

export function readableOnly(viewer: Restricted, attributes: Attributes): Attributes {
  if (namesOf(viewer) === undefined) return attributes
  const readable: Attributes = emptyObject()
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') {
      if (isReadable(viewer, [name])) readable[name] = value
      continue
    }
    const members = Object.entries(value).filter(([subName]) => isReadable(viewer, [name, subName]))
    if (members.length > 0) readable[name] = Object.assign(emptyObject<string>(), Object.fromEntries(members))
  }
  return readable
}

/**
 * Throws FORBIDDEN if the filter contains a name that the viewer cannot read. Limits conditions on all attributes to
 * the readable ones. A condition that a name is present also matches a group with this name. Unless the viewer can read
 * the whole group, replaces the condition with one that requires a value. Otherwise, the condition would match a group
 * that contains only names that the viewer cannot read.
 */
export const readableFilter = (viewer: Restricted, filter: ResolvedFilter): ResolvedFilter =>
  namesOf(viewer) === undefined ? filter : mapConditions(filter, (condition) => readableCondition(viewer, condition))

function readableCondition(viewer: Restricted, condition: Condition): Condition {
  const readable = namesOf(viewer)!
  if (condition.type === 'any') return { ...condition, readable }
  if (condition.type === 'stale') assertReadable(viewer, condition.name)
  if (!('subject' in condition)) return condition
  const { subject } = condition
  if (subject.type === 'field') {
    const isOfNames = subject.name === 'contexts' || subject.name === 'changed'
    return isOfNames ? ({ ...condition, subject: { ...subject, readable } } as Condition) : condition
  }
  assertReadable(viewer, subject.name)
  if (condition.type !== 'present' || subject.type !== 'attribute' || subject.name.length === 2) return condition
  if (isReadableGroup(viewer, subject.name[0])) return condition
  return { type: 'compare', subject, operator: ':', literal: { type: 'pattern', parts: ['', ''] } }
}
