import { type EventKind, eventKinds } from './event-kinds.ts'

export const deviceTabs = ['attributes', 'services', 'events'] as const

export type DeviceTab = (typeof deviceTabs)[number]

/** The page's state in its URL. Omitted members have their defaults. */
export interface DeviceSearch {
  /** `attributes` by default. */
  tab?: DeviceTab
  /** The context of the attributes. Default: the base. */
  context?: string
  /** The kind of events to list. Default: all. */
  events?: EventKind
}

/** Parses search parameters. Invalid values are ignored. */
export function deviceSearch({ tab, context, events }: Record<string, unknown>): DeviceSearch {
  const read: DeviceSearch = {}
  const knownTab = deviceTabs.find((each) => each === tab)
  const knownKind = eventKinds.find((each) => each === events)
  if (knownTab !== undefined && knownTab !== 'attributes') read.tab = knownTab
  if (knownKind !== undefined) read.events = knownKind
  // The router parses `context=7` as a number.
  if (['string', 'number', 'boolean'].includes(typeof context) && context !== '') read.context = String(context)
  return read
}
