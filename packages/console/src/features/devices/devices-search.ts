import { stringOf, stringsOf, validSearch } from '../../hooks/valid-search.ts'

export interface DeviceQuery {
  filter: DeviceFilter
  sortBy: string[]
  withAttributes: boolean
  /** The number of the first record: 1, unless the server is configured to use 0. */
  firstRecord: number
}

/** Omitted members have their default values, which a view can set. */
export interface DevicesSearch {
  /** Sort order in the API's format, such as `name asc`, `-lastReported`, or `attributes.site desc`. */
  sort?: string
  where?: string
  view?: string
  context?: string
  /** Column IDs. Default: the columns of the view, else the user's saved columns, else the default columns. */
  columns?: string[]
  /** Widths, in pixels and keyed by column ID, of the columns that the user has resized. */
  widths?: Record<string, number>
}

export const MIN_WIDTH = 60
export const MAX_WIDTH = 1200

export const devicesSearch = validSearch<DevicesSearch>((search) => {
  const conditions = [stringOf(search.where), ...conditionsOf(search)].filter((each) => each !== undefined)
  return {
    sort: stringOf(search.sort),
    where: conditions.length === 1 ? conditions[0] : conditions.map((each) => `(${each})`).join(' AND '),
    view: stringOf(search.view),
    context: stringOf(search.context),
    columns: stringsOf(search.columns),
    widths: numbers(search.widths, MIN_WIDTH, MAX_WIDTH),
  }
})

/** Converts URL parameters of earlier releases, which old bookmarks and links may contain, to filter conditions. */
function conditionsOf({ name, state, platform, application, attributes }: Record<string, unknown>): string[] {
  const part = stringOf(name)
  const platforms = stringsOf(platform)
  const types = [application].flat().filter((value) => Number.isInteger(value))
  return [
    ...(part === undefined ? [] : [`name:${quoteText(part)}`]),
    ...(state === 'active' || state === 'inactive' ? [`state = ${state}`] : []),
    ...(platforms.length === 0 ? [] : [`platform = (${platforms.map(quoteText).join(' OR ')})`]),
    ...(types.length === 0 ? [] : [`services.application = (${types.join(' OR ')})`]),
    ...entriesOf(attributes).flatMap(([attribute, value]) => {
      const text = stringOf(value)
      const levels = /^([^.]*)\.(.*)$/s.exec(attribute)?.slice(1) ?? [attribute]
      return text === undefined ? [] : [`attributes.${levels.map(quoteText).join('.')} = ${quoteText(text)}`]
    }),
  ]
}

export const quoteText = (text: string): string => `"${text.replaceAll(/["\\*]/g, '\\$&')}"`

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []

const numbers = (value: unknown, min: number, max: number): Record<string, number> =>
  Object.fromEntries(
    entriesOf(value).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= min && entry[1] <= max,
    ),
  )

export interface DeviceFilter {
  where?: string
  view?: string
  context?: string
}

/** A context alone excludes no device. */
export const isFiltered = ({ where, view }: DeviceFilter): boolean => where !== undefined || view !== undefined

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
