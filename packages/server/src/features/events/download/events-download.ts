import { formatNeutralRow } from '@muster/fleet-csv/csv/formulas'
import type { Context } from '../../../context.ts'
import { limits } from '../../../limits.ts'
import { OBJECTS_PER_POINT, pointsOfObjects, pointsOfRows } from '../../../rate-limits/point-prices.ts'
import { namesOf } from '../../../restriction.ts'
import { readableFilter } from '../../attributes/attribute-access.ts'
import { assertMayDownload, createDownloadLink } from '../../downloads/create-link.ts'
import type { DownloadContent } from '../../downloads/download-link.ts'
import type { CsvList, Download } from '../../downloads/serve-download.ts'
import type { Event } from '../event.ts'
import { type EventFilter, type EventWhere, readEventFilter } from '../event-filter.ts'
import { describeSource } from '../event-source.ts'
import type { EventTypeName } from '../event-types.ts'
import { type EventSlice, findWindowEnd, selectFittingEvents } from '../events.queries.ts'
import { type EventListArguments, readEventWhere } from '../events.ts'
import { permittedEvents, readableData } from '../readable-events.ts'

const PATH = '/events/v1.csv'
/** The maximum number of events that a statement examines if PostgreSQL must check each event separately. */
const WINDOW = 20_000
const FIRST: EventSlice['start'] = { offset: 0 }
/** The maximum number of device IDs that a DOWNLOAD_LINK_CREATE event lists for one link. */
const LISTED_DEVICES = 20

/**
 * Returns a URL for downloading events as CSV. If the view `args.view` changes later, the URL still serves the same
 * selection.
 */
export async function eventsUrl(context: Context, args: EventListArguments): Promise<string> {
  assertMayDownload(context)
  const { viewer, clock } = context
  const filter = { ...readEventFilter(args, { now: clock(), defaultsToMonth: true }), ...permittedEvents(viewer) }
  const where = await readEventWhere(context, args)
  // The link does not contain the caller's restriction, because each page is read with the current restriction.
  const { deviceIds, inside: _inside, readable: _readable, ...rest } = filter
  const content: DownloadContent = {
    filter: rest,
    ...(deviceIds !== undefined && { deviceIds }),
    ...(where !== undefined && { selection: { list: 'events', ...where } }),
  }
  return createDownloadLink(context, { path: PATH, content, description: describe(filter, args) })
}

/**
 * Returns the arguments that the DOWNLOAD_LINK_CREATE event records. Replaces a list of more than `LISTED_DEVICES`
 * device IDs with `devices`, the number of IDs.
 */
function describe(
  { from, until, types, deviceIds }: EventFilter,
  { where, view, context }: EventListArguments,
): Record<string, unknown> {
  return {
    minDate: from,
    maxDate: until,
    types,
    ...(deviceIds !== undefined && deviceIds.length > LISTED_DEVICES
      ? { devices: deviceIds.length }
      : { deviceId: deviceIds }),
    ...(where && { where }),
    ...(view != null && { view }),
    ...(context != null && { context }),
  }
}

export const eventsCsv: CsvList = {
  list: 'events',
  path: PATH,
  fileName: 'events.csv',
  field: 'eventsUrl',
  firstPoints: pointsOfObjects(limits.pageSize),
  pages,
}

const columns = [
  'id',
  'timestamp',
  'type',
  'deviceId',
  'actorId',
  'target',
  'state',
  'data',
  'source',
  'sourceId',
  'sourceName',
]

function pages(download: Download): AsyncIterable<string> {
  const filter = filterOf(download.content)
  const { where } = filter
  if (where === undefined) return pagesIn(download, filter)
  return pagesIn(download, { ...filter, where: { ...where, filter: readableFilter(download.reader(), where.filter) } })
}

async function* pagesIn(download: Download, filter: EventFilter): AsyncGenerator<string> {
  yield formatNeutralRow(columns)
  if (filter.where === undefined && download.reader().restriction === undefined) yield* pagesOf(download, filter)
  else yield* pagesByWindow(download, filter)
}

/** PostgreSQL checks `where` and a restriction event by event, so each statement examines at most `WINDOW` events. */
async function* pagesByWindow(download: Download, filter: EventFilter): AsyncGenerator<string> {
  const { accountId } = download
  let start = FIRST
  for (;;) {
    await download.charge(pointsOfRows(WINDOW))
    const { where: _, ...simple } = filter
    const window: EventSlice = { filter: simple, start, limit: WINDOW }
    const end = await download.read((db) => findWindowEnd(db, accountId, window))
    yield* pagesOf(download, end === undefined ? filter : { ...filter, fromId: end }, start)
    if (end === undefined) return
    start = { afterId: end }
  }
}

async function* pagesOf(download: Download, filter: EventFilter, first = FIRST): AsyncGenerator<string> {
  const { accountId } = download
  let limit: number = limits.pageSize
  let start = first
  for (;;) {
    const inside = download.inside()
    const reader = download.reader()
    const readable = namesOf(reader)
    const restricted = { ...filter, ...(inside && { inside }), ...(readable && { readable }) }
    const slice: EventSlice = { filter: restricted, start, limit }
    const { events, mayHaveMore } = await download.read((db) => selectFittingEvents(db, accountId, slice))
    if (events.length > 0) yield events.map((event) => formatNeutralRow(cells(reader, event))).join('')
    const last = events.at(-1)
    if (last === undefined || !mayHaveMore) return
    start = { afterId: last.id }
    limit = nextLimit(events.length)
    await download.charge(pointsOfObjects(limit))
  }
}

/** Returns twice the number of returned events, rounded up to whole rate-limit points, but at most a full page. */
const nextLimit = (returned: number): number =>
  Math.min(limits.pageSize, Math.ceil((2 * returned) / OBJECTS_PER_POINT) * OBJECTS_PER_POINT)

function filterOf({ filter, deviceIds, selection }: DownloadContent): EventFilter {
  const { from, until, types, devicesOnly } = filter as {
    from?: string
    until?: string
    types?: EventTypeName[]
    devicesOnly?: boolean
  }
  return {
    ...(from && { from: new Date(from) }),
    ...(until && { until: new Date(until) }),
    ...(types && { types }),
    ...(devicesOnly && { devicesOnly }),
    ...(deviceIds && { deviceIds }),
    ...(selection !== undefined && { where: selection as unknown as EventWhere }),
  }
}

const cells = (reader: ReturnType<Download['reader']>, event: Event): (string | null)[] => {
  const { id, timestamp, type, deviceId, actorId, targets, state } = event
  const source = describeSource(event, null)
  return [
    id,
    timestamp.toISOString(),
    type,
    deviceId,
    actorId,
    targets.map(({ name }) => name).join('; '),
    state,
    JSON.stringify(readableData(reader, event)),
    source.kind,
    source.id,
    source.name,
  ]
}
