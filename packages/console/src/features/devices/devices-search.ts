export interface DeviceQuery {
  filter: DeviceFilter
  sort: string
  /** Whether custom attributes are shown. */
  withAttributes: boolean
  /** What the server counts records from: 1, unless it was set to 0. */
  firstRecord: number
}

/** What the list shows, kept in its address; what is left away is the default. */
export interface DevicesSearch {
  /** In the API's form: `name asc`, `-lastReported`, `attributes.site desc`. */
  sort?: string
  /** Part of the name. */
  name?: string
  state?: 'active' | 'inactive'
  platform?: string[]
  /** Ids of application types, of which a device has a service. */
  application?: number[]
  /** Values that the devices' attributes have. */
  attributes?: Record<string, string>
  /** In which attributes are read. */
  context?: string
  /** Ids of the columns in their order; the person's own choice where left away. */
  columns?: string[]
  /** Widths in pixels that differ from the columns' own. */
  widths?: Record<string, number>
}

const LEAST_WIDTH = 60
const MOST_WIDTH = 1200

/** Reads it; what is wrong in an address is left out, never an error. */
export function devicesSearch(search: Record<string, unknown>): DevicesSearch {
  const { state } = search
  const widths = numbers(search.widths, LEAST_WIDTH, MOST_WIDTH)
  const application = list(search.application).filter((value) => Number.isInteger(value)) as number[]
  return leaveOutEmpty({
    sort: text(search.sort),
    name: text(search.name),
    state: state === 'active' || state === 'inactive' ? state : undefined,
    platform: texts(search.platform),
    application,
    attributes: values(search.attributes),
    context: text(search.context),
    columns: texts(search.columns),
    widths,
  })
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The router reads `name=7` as a number; it was typed as text. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

const texts = (value: unknown): string[] => [...new Set(list(value).flatMap((each) => text(each) ?? []))]

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []

const values = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    entriesOf(value).flatMap(([name, each]) => {
      const found = text(each)
      return found === undefined ? [] : [[name, found]]
    }),
  )

const numbers = (value: unknown, least: number, most: number): Record<string, number> =>
  Object.fromEntries(
    entriesOf(value).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= least && entry[1] <= most,
    ),
  )

function leaveOutEmpty(search: DevicesSearch): DevicesSearch {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)
  return Object.fromEntries(Object.entries(search).filter(([, value]) => !isEmpty(value)))
}

/** Arguments of `devices` that choose which are listed. */
export interface DeviceFilter {
  name?: string
  state?: string
  platform?: string[]
  application?: number[]
  attributes?: Record<string, string>
  context?: string
}

export function filterOf({ name, state, platform, application, attributes, context }: DevicesSearch): DeviceFilter {
  return { name, state, platform, application, attributes, context }
}

/** Whether some devices may be left out; a context alone chooses nothing. */
export const isFiltered = ({ context: _, ...filter }: DeviceFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

export const DEFAULT_SORT = 'name asc'

export interface Sort {
  by: string
  isDescending: boolean
}

/** Reads the ways to write a sort that the API accepts: `name desc`, `-name`. */
export function readSort(sort: string = DEFAULT_SORT): Sort {
  const [, written, direction] = /^(.*) (asc|desc)$/i.exec(sort) ?? []
  if (written !== undefined) return { by: written, isDescending: direction?.toLowerCase() === 'desc' }
  const isSigned = /^[-+]./.test(sort)
  return { by: isSigned ? sort.slice(1) : sort, isDescending: isSigned && sort.startsWith('-') }
}

export const writeSort = ({ by, isDescending }: Sort): string => `${by} ${isDescending ? 'desc' : 'asc'}`
