export interface DeviceQuery {
  filter: DeviceFilter
  sort: string
  /** Whether custom attributes are fetched. */
  withAttributes: boolean
  /** The number of the first record: 1, unless the server is configured to use 0. */
  firstRecord: number
}

/** The list's state in its URL. Omitted members have their defaults. */
export interface DevicesSearch {
  /** In the API's format: `name asc`, `-lastReported`, or `attributes.site desc`. */
  sort?: string
  /** A filter in the API's language. */
  where?: string
  /** A part of the name. Links from before `where` have it. */
  name?: string
  state?: 'active' | 'inactive'
  platform?: string[]
  /** Ids of application types. Devices match if they have a service of one of these types. */
  application?: number[]
  /** Required values of attributes. */
  attributes?: Record<string, string>
  /** The context of the attribute values. */
  context?: string
  /** The ids of the columns in order. The user's saved columns by default. */
  columns?: string[]
  /** Column widths in pixels that differ from the defaults. */
  widths?: Record<string, number>
}

export const MIN_WIDTH = 60
export const MAX_WIDTH = 1200

/** Parses search parameters. Invalid values are ignored. */
export function devicesSearch(search: Record<string, unknown>): DevicesSearch {
  const { state } = search
  const widths = numbers(search.widths, MIN_WIDTH, MAX_WIDTH)
  const application = list(search.application).filter((value) => Number.isInteger(value)) as number[]
  return omitEmpty({
    sort: stringOf(search.sort),
    where: stringOf(search.where),
    name: stringOf(search.name),
    state: state === 'active' || state === 'inactive' ? state : undefined,
    platform: stringsOf(search.platform),
    application,
    attributes: values(search.attributes),
    context: stringOf(search.context),
    columns: stringsOf(search.columns),
    widths,
  })
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A string parameter. The router parses `name=7` as a number. */
const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

const stringsOf = (value: unknown): string[] => [...new Set(list(value).flatMap((each) => stringOf(each) ?? []))]

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []

const values = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    entriesOf(value).flatMap(([name, each]) => {
      const found = stringOf(each)
      return found === undefined ? [] : [[name, found]]
    }),
  )

const numbers = (value: unknown, min: number, max: number): Record<string, number> =>
  Object.fromEntries(
    entriesOf(value).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= min && entry[1] <= max,
    ),
  )

function omitEmpty(search: DevicesSearch): DevicesSearch {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)
  return Object.fromEntries(Object.entries(search).filter(([, value]) => !isEmpty(value)))
}

/** The filter arguments of the query `devices`. */
export interface DeviceFilter {
  where?: string
  name?: string
  state?: string
  platform?: string[]
  application?: number[]
  attributes?: Record<string, string>
  context?: string
}

export function filterOf({
  where,
  name,
  state,
  platform,
  application,
  attributes,
  context,
}: DevicesSearch): DeviceFilter {
  return { where, name, state, platform, application, attributes, context }
}

/** Whether the filter can exclude devices. A context alone excludes none. */
export const isFiltered = ({ context: _, ...filter }: DeviceFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

export const DEFAULT_SORT = 'name asc'

export interface Sort {
  by: string
  isDescending: boolean
}

/** Parses a sort order in any format that the API accepts, such as `name desc` or `-name`. */
export function readSort(sort: string = DEFAULT_SORT): Sort {
  const [, name, direction] = /^(.*) (asc|desc)$/i.exec(sort) ?? []
  if (name !== undefined) return { by: name, isDescending: direction?.toLowerCase() === 'desc' }
  const isSigned = /^[-+]./.test(sort)
  return { by: isSigned ? sort.slice(1) : sort, isDescending: isSigned && sort.startsWith('-') }
}

export const writeSort = ({ by, isDescending }: Sort): string => `${by} ${isDescending ? 'desc' : 'asc'}`
