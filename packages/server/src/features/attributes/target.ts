import { RESERVED_GROUP, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, type NameKind } from './attributes.ts'

/** The top-level names in use in contexts, each with its kind and the number of contexts. */
export type OverrideNames = Record<string, [kind: NameKind, contexts: number]>

/** A locked object with attributes. It contains the data from the object's rows and the parts to save. */
export interface Target {
  kind: TargetKind
  id: string
  name: string
  /** The device that the target belongs to, if any. */
  device: { id: string; name: string } | undefined
  /** The base values, including the reserved ones of a device. */
  base: Attributes
  overrideNames: OverrideNames
  contextCount: number
  /** The overrides of the contexts that were read, keyed by context. */
  overrides: Map<string, Attributes>
  changed: { attributes: boolean; reserved: boolean; overrideNames: boolean; contexts: Set<string> }
}

export const newTarget = (
  identity: Pick<Target, 'kind' | 'id' | 'name' | 'device'>,
  base: Attributes,
  overrideNames: OverrideNames,
): Target => ({
  ...identity,
  base,
  overrideNames,
  contextCount: 0,
  overrides: new Map(),
  changed: { attributes: false, reserved: false, overrideNames: false, contexts: new Set() },
})

/** Returns the base attributes, or only the overrides of one context. */
export const attributesIn = (target: Target, context: string | undefined): Attributes =>
  context === undefined ? target.base : (target.overrides.get(context) ?? {})

/** Replaces the attributes in the base or in one context. `names` lists the changed names. */
export function replaceAttributes(
  target: Target,
  context: string | undefined,
  { after, names }: { after: Attributes; names: readonly string[] },
): void {
  if (context === undefined) {
    target.base = after
    const isReserved = (name: string): boolean => target.kind === 'device' && name.startsWith(`${RESERVED_GROUP}.`)
    target.changed.reserved ||= names.some(isReserved)
    target.changed.attributes ||= !names.every(isReserved)
    return
  }
  const before = attributesIn(target, context)
  recount(target, before, after)
  target.contextCount += presence(after) - presence(before)
  target.overrides.set(context, after)
  target.changed.contexts.add(context)
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

/** Returns the kind of a top-level name in the base or in any context of the target. */
export function kindOnTarget({ base, overrideNames }: Target, name: string): NameKind | undefined {
  if (Object.hasOwn(base, name)) return kindOf(base[name]!)
  return Object.hasOwn(overrideNames, name) ? overrideNames[name]![0] : undefined
}

const kindOf = (value: Attributes[string]): NameKind => (typeof value === 'string' ? 'value' : 'group')
