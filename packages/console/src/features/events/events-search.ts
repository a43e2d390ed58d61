import { type EventType, isEventType } from '../../components/events/event-types.ts'
import { stringOf, stringsOf, validSearch } from '../../hooks/valid-search.ts'

export interface EventsSearch {
  types?: EventType[]
  device?: string[]
  where?: string
  view?: string
  /** Start of the time range, inclusive (ISO 8601). */
  from?: string
  /** End of the time range, exclusive (ISO 8601). */
  to?: string
  /** Cursor after which the page begins. The page shows only older events. */
  after?: string
}

export const eventsSearch = validSearch<EventsSearch>(({ types, device, where, view, from, to, after }) => ({
  types: stringsOf(types).filter(isEventType),
  device: stringsOf(device),
  where: stringOf(where),
  view: stringOf(view),
  from: isoTime(from),
  to: isoTime(to),
  after: stringOf(after),
}))

function isoTime(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** The filter arguments of the field `User.events`. */
export interface EventFilter {
  types?: EventType[]
  deviceId?: string[]
  where?: string
  view?: string
  minDate?: string
  maxDate?: string
}

export const filterOf = ({ types, device, where, view, from, to }: EventsSearch): EventFilter => ({
  ...(types === undefined ? {} : { types }),
  ...(device === undefined ? {} : { deviceId: device }),
  ...(where === undefined ? {} : { where }),
  ...(view === undefined ? {} : { view }),
  ...(from === undefined ? {} : { minDate: from }),
  ...(to === undefined ? {} : { maxDate: to }),
})

export const isFiltered = (filter: EventFilter): boolean => Object.keys(filter).length > 0

/** Returns the filters of a search, without its view and time range. A new view stores these filters as one filter. */
export const filtersOf = ({ types, device, where }: EventsSearch): (string | undefined)[] => [
  types && `type = (${types.join(' OR ')})`,
  device && `target.id = (${device.join(' OR ')})`,
  where,
]
