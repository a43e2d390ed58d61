import { type EventType, isEventType } from '../../components/events/event-types.ts'

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

export function eventsSearch(search: Record<string, unknown>): EventsSearch {
  const types = [...new Set(list(search.types).filter(isEventType))]
  const device = [...new Set(list(search.device).filter((id) => typeof id === 'string' && id !== ''))] as string[]
  const [from, to] = [isoTime(search.from), isoTime(search.to)]
  // Convert the value back to a string, because the router parses `after=7` as a number.
  const after = typeof search.after === 'number' ? String(search.after) : search.after
  return {
    ...(types.length === 0 ? {} : { types }),
    ...(device.length === 0 ? {} : { device }),
    ...(typeof search.where === 'string' && search.where !== '' ? { where: search.where } : {}),
    ...(typeof search.view === 'string' && search.view !== '' ? { view: search.view } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

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
