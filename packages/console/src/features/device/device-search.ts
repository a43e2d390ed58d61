import { stringOf, validSearch } from '../../hooks/valid-search.ts'
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

export const deviceSearch = validSearch<DeviceSearch>(({ tab, context, events }) => ({
  tab: deviceTabs.find((each) => each === tab && each !== 'attributes'),
  context: stringOf(context),
  events: eventKinds.find((each) => each === events),
}))
