import { RESERVED_GROUP, type TargetKind } from './attribute-name.ts'
import { type Attributes, emptyObject, type NameKind } from './attributes.ts'

/** Top-level names in use in contexts, each with its kind and the number of contexts. */
export type OverrideNames = Record<string, [kind: NameKind, contexts: number]>

/** An object with attributes that is locked in a transaction, with the data of its rows and the parts to write back. */
export interface Target {
  kind: TargetKind
  id: string
  name: string
  /** The device that the target belongs to, if any. */
  device: { id: string; name: string } | undefined
  /** Base values, including the reserved ones of a device. */
  base: Attributes
  overrideNames: OverrideNames
  /** Number of contexts in use. */
  contextCount: number
  /** Overrides by context, for the contexts that were read. */
  overrides: Map<string, Attributes>
  changed: { attributes: boolean; reserved: boolean; overrideNames: boolean; contexts: Set<string> }
}

/** The attributes of the base, or of one context only. */
export const attributesIn = (target: Target, context: string | undefined): Attributes =>
  context === undefined ? target.base : (target.overrides.get(context) ?? {})

/** Replaces the attributes in the base or in one context; `names` are the changed names. */
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

/** The kind of a top-level name on the target, in the base or in any context. */
export function kindOnTarget({ base, overrideNames }: Target, name: string): NameKind | undefined {
  if (Object.hasOwn(base, name)) return kindOf(base[name]!)
  return Object.hasOwn(overrideNames, name) ? overrideNames[name]![0] : undefined
}

const kindOf = (value: Attributes[string]): NameKind => (typeof value === 'string' ? 'value' : 'group')
