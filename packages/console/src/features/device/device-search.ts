import { type EventKind, eventKinds } from './event-kinds.ts'

export const deviceTabs = ['attributes', 'services', 'events'] as const

export type DeviceTab = (typeof deviceTabs)[number]

/** What the page keeps in its address; what is left away is the default. */
export interface DeviceSearch {
  /** `attributes` where left away. */
  tab?: DeviceTab
  /** In which attributes are read and written; the base where left away. */
  context?: string
  /** Which events are listed; all where left away. */
  events?: EventKind
}

/** Reads it; what is wrong in an address is left out, never an error. */
export function deviceSearch({ tab, context, events }: Record<string, unknown>): DeviceSearch {
  const read: DeviceSearch = {}
  const knownTab = deviceTabs.find((each) => each === tab)
  const knownKind = eventKinds.find((each) => each === events)
  if (knownTab !== undefined && knownTab !== 'attributes') read.tab = knownTab
  if (knownKind !== undefined) read.events = knownKind
  // The router reads `context=7` as a number; it was typed as text.
  if (['string', 'number', 'boolean'].includes(typeof context) && context !== '') read.context = String(context)
  return read
}
