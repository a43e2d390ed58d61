import { RESERVED_GROUP, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, type NameKind } from './attributes.ts'

/** The top-level names with overrides, each with its kind and the number of contexts that override it. */
export type OverrideNames = Record<string, [kind: NameKind, contexts: number]>

/**
 * The time of a value's last change, alone or followed by the time of its last recorded write. Times are in
 * milliseconds since 1970. `changed` is null if the server has not recorded when the value changed.
 */
export type ValueTime = number | [changed: number | null, confirmed: number]

/** The times of values, keyed by the full name. */
export type ValueTimes = Record<string, ValueTime>

/** A user, device, or service that was locked or only read, with its attributes and a record of what changed. */
export interface Target {
  kind: TargetKind
  id: string
  name: string
  /** The device itself, or a service's device. Undefined for a user. */
  device: { id: string; name: string } | undefined
  /** The base values, including a device's reserved values. */
  base: Attributes
  overrideNames: OverrideNames
  contextCount: number
  times: ValueTimes
  /** The overrides of the contexts that were read, keyed by context. */
  overrides: Map<string, Attributes>
  overrideTimes: Map<string, ValueTimes>
  /** The times of the values that were replaced since the last event, keyed by context (undefined for base values). */
  replacedTimes: Map<string | undefined, ValueTimes>
  /** When the target was locked. Undefined for a target that was only read. */
  lockedAt: Date | undefined
  changed: { attributes: boolean; reserved: boolean; overrideNames: boolean; contexts: Set<string> }
}

export const newTarget = (
  identity: Pick<Target, 'kind' | 'id' | 'name' | 'device'>,
  base: Attributes,
  overrideNames: OverrideNames,
  { times = {}, lockedAt }: { times?: ValueTimes | undefined; lockedAt?: Date | undefined } = {},
): Target => ({
  ...identity,
  base,
  overrideNames,
  times: copyTimes(times),
  lockedAt,
  contextCount: 0,
  overrides: new Map(),
  overrideTimes: new Map(),
  replacedTimes: new Map(),
  changed: { attributes: false, reserved: false, overrideNames: false, contexts: new Set() },
})

/** Returns a copy whose names can be safely looked up and set. */
export const copyTimes = (times: ValueTimes): ValueTimes => Object.assign(emptyObject<ValueTime>(), times)

export const attributesIn = (target: Target, context: string | undefined): Attributes =>
  context === undefined ? target.base : (target.overrides.get(context) ?? {})

/**
 * Replaces the base values, or the overrides in a context, in memory. Updates the times of the values whose names are
 * in `changes`.
 */
export function replaceAttributes(
  target: Target,
  context: string | undefined,
  { after, changes }: { after: Attributes; changes: Readonly<Record<string, { new: string | null }>> },
): void {
  const times = timesIn(target, context)
  const replaced = target.replacedTimes.get(context) ?? emptyObject<ValueTime>()
  target.replacedTimes.set(context, replaced)
  for (const [name, change] of Object.entries(changes)) {
    const time = times[name]
    if (time !== undefined) replaced[name] ??= time
    if (change.new === null) delete times[name]
    else times[name] = timeOfChange(target)
  }
  markChanged(target, context, Object.keys(changes))
  if (context === undefined) {
    target.base = after
    return
  }
  const before = attributesIn(target, context)
  recount(target, before, after)
  target.contextCount += presence(after) - presence(before)
  target.overrides.set(context, after)
}

export function takeReplacedTimes(target: Target, context: string | undefined): ValueTimes | undefined {
  const times = target.replacedTimes.get(context)
  target.replacedTimes.delete(context)
  return times === undefined || Object.keys(times).length === 0 ? undefined : times
}

export function confirmValue(target: Target, context: string | undefined, name: string): void {
  const times = timesIn(target, context)
  const time = times[name]
  times[name] = [(Array.isArray(time) ? time[0] : time) ?? null, timeOfChange(target)]
  markChanged(target, context, [name])
}

/**
 * Returns the time of the value's last recorded write, in milliseconds since 1970, or undefined if the server has
 * recorded none.
 */
export function confirmedAt(target: Target, context: string | undefined, name: string): number | undefined {
  const time = timesIn(target, context)[name]
  return Array.isArray(time) ? time[1] : time
}

const timeOfChange = ({ lockedAt }: Target): number => lockedAt?.getTime() ?? 0

function timesIn(target: Target, context: string | undefined): ValueTimes {
  if (context === undefined) return target.times
  const times = target.overrideTimes.get(context) ?? emptyObject<ValueTime>()
  target.overrideTimes.set(context, times)
  return times
}

function markChanged(target: Target, context: string | undefined, names: readonly string[]): void {
  if (context !== undefined) {
    target.changed.contexts.add(context)
    return
  }
  const isReserved = (name: string): boolean => target.kind === 'device' && isReservedName(name)
  target.changed.reserved ||= names.some(isReserved)
  target.changed.attributes ||= !names.every(isReserved)
}

const isReservedName = (name: string): boolean => name.startsWith(`${RESERVED_GROUP}.`)

export function splitTimes(times: ValueTimes): { base: ValueTimes; reserved: ValueTimes } {
  const [base, reserved] = [emptyObject<ValueTime>(), emptyObject<ValueTime>()]
  for (const [name, time] of Object.entries(times)) (isReservedName(name) ? reserved : base)[name] = time
  return { base, reserved }
}

const presence = (attributes: Attributes): number => (Object.keys(attributes).length === 0 ? 0 : 1)

function recount(target: Target, before: Attributes, after: Attributes): void {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name))
  if (removed.length + added.length === 0) return
  const names: OverrideNames = Object.assign(emptyObject(), target.overrideNames)
  for (const name of removed) {
    const [kind, contexts] = names[name]!
    if (contexts === 1) delete names[name]
    else names[name] = [kind, contexts - 1]
  }
  for (const name of added) names[name] = [kindOf(after[name]!), (names[name]?.[1] ?? 0) + 1]
  target.overrideNames = names
  target.changed.overrideNames = true
}

export function kindOnTarget({ base, overrideNames }: Target, name: string): NameKind | undefined {
  if (Object.hasOwn(base, name)) return kindOf(base[name]!)
  return Object.hasOwn(overrideNames, name) ? overrideNames[name]![0] : undefined
}

const kindOf = (value: Attributes[string]): NameKind => (typeof value === 'string' ? 'value' : 'group')
