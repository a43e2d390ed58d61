import { type EventKind, eventKinds } from './event-kinds.ts'

export const deviceTabs = ['attributes', 'services', 'events'] as const

type DeviceTab = (typeof deviceTabs)[number]

interface DeviceSearch {
  /** Default: `attributes`. */
  tab?: DeviceTab
  /** The context whose attributes are shown. By default, base values are shown. */
  context?: string
  /** The kind of events to show. Default: all kinds. */
  events?: EventKind
}

export function deviceSearch({ tab, context, events }: Record<string, unknown>): DeviceSearch {
  const read: DeviceSearch = {}
  const knownTab = deviceTabs.find((each) => each === tab)
  const knownKind = eventKinds.find((each) => each === events)
  if (knownTab !== undefined && knownTab !== 'attributes') read.tab = knownTab
  if (knownKind !== undefined) read.events = knownKind
  // Convert the value back to a string, because the router parses `context=7` as a number.
  if (['string', 'number', 'boolean'].includes(typeof context) && context !== '') read.context = String(context)
  return read
}
