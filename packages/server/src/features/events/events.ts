import type { Context } from '../../context.ts'
import { walk } from '../../db/fair/user-database.ts'
import { notFound } from '../../errors.ts'
import { listOf, type PageArguments, readPage, type Start, wrongPlace } from '../../graphql/lists/paging.ts'
import { parseContext } from '../attributes/attribute-name.ts'
import { assertKnownNames } from '../filters/known-names.ts'
import { readFilter } from '../filters/read-filter.ts'
import { applyView } from '../views/apply-view.ts'
import type { Event, EventList } from './event.ts'
import { type EventFilterArguments, type EventWhere, readEventFilter } from './event-filter.ts'
import { eventRowsRead } from './event-row-cost.ts'
import { countEvents, type EventSlice, eventExists, selectEvents, selectEventsByIds } from './events.queries.ts'
import { permittedEvents } from './readable-events.ts'

/** `Device.events` does not have the arguments `deviceId`, `where`, `view`, `context`, and `now`. */
export interface EventListArguments extends PageArguments, EventFilterArguments {
  where?: string | null | undefined
  view?: string | null | undefined
  context?: string | null | undefined
  now?: Date | null | undefined
}

export async function listEvents(context: Context, args: EventListArguments): Promise<EventList> {
  const { db, viewer, rowMeter } = context
  const reads = eventRowsRead(args)
  const given = await readEventSlice(context, args)
  const where = await readEventWhere(context, args)
  const slice = where === undefined ? given : { ...given, filter: { ...given.filter, where } }
  rowMeter.add(({ events }) => Math.min(reads.page.rows, events))
  const reasons = viewer.restriction === undefined ? reads.page.reasons : [...reads.page.reasons, RESTRICTED]
  const rows = await walk(db, reasons, (walking) => selectEvents(walking, viewer.accountId, slice))
  return eventList(slice, rows, () => {
    rowMeter.add(({ events }) => Math.min(reads.total.rows, events))
    return walk(db, reads.total.reasons, (walking) => countEvents(walking, viewer.accountId, slice.filter))
  })
}

const RESTRICTED = 'events that the role or key cannot read are skipped one by one'

/**
 * Returns undefined if there is neither a filter in `where` nor a view with a filter. Throws an error if the filter,
 * the view, or the context is invalid.
 */
export async function readEventWhere(
  context: Context,
  args: Pick<EventListArguments, 'where' | 'view' | 'context' | 'now'>,
): Promise<EventWhere | undefined> {
  const where = args.where == null ? undefined : readFilter(args.where, { kind: 'event', path: 'where' })
  if (where !== undefined) await assertKnownNames(context, where)
  const inContext = parseContext(args.context, 'context')
  const selection = await applyView(context, { where, viewId: args.view, inContext }, { kind: 'event' })
  if (selection.where === undefined) return undefined
  const now = (args.now ?? context.clock()).getTime()
  return { filter: selection.where.filter, context: selection.context, now }
}

/** The slice includes one event beyond the page, which shows whether there is another page. */
export async function readEventSlice(context: Context, args: EventListArguments): Promise<EventSlice> {
  const page = readPage(args, { order: ORDER, firstRecord: context.firstRecord })
  const given = readEventFilter(args, { now: context.clock(), defaultsToMonth: 'offset' in page.start })
  const filter = { ...given, ...permittedEvents(context.viewer) }
  return { filter, start: await readStart(context, page.start), limit: page.size + 1 }
}

export const eventList = ({ limit }: EventSlice, rows: readonly Event[], total: () => Promise<number>): EventList =>
  listOf({
    rows,
    size: limit - 1,
    order: ORDER,
    placeOf: ({ id }) => ({ id, key: null }),
    toItem: (event) => event,
    total,
  })

/** Event cursors contain this order, so a cursor from another list is invalid. */
const ORDER = 'events'

/** Matches a positive integer of at most 18 digits, which always fits in a PostgreSQL bigint. */
export const eventId = /^[1-9]\d{0,17}$/

async function readStart({ db, viewer }: Context, start: Start): Promise<EventSlice['start']> {
  if ('offset' in start) return start
  if ('afterPlace' in start) {
    if (!eventId.test(start.afterPlace.id)) throw wrongPlace()
    return { afterId: start.afterPlace.id }
  }
  await assertEventExists({ db, viewer }, start.afterId)
  return { afterId: start.afterId }
}

export async function assertEventExists({ db, viewer }: Pick<Context, 'db' | 'viewer'>, id: string): Promise<void> {
  const isFound = eventId.test(id) && (await eventExists(db, viewer.accountId, { id, filter: permittedEvents(viewer) }))
  if (!isFound) throw notFound('event', id)
}

/** Omits deleted events. */
export const findEvents = ({ db, viewer }: Pick<Context, 'db' | 'viewer'>, ids: readonly string[]): Promise<Event[]> =>
  selectEventsByIds(db, viewer.accountId, ids)
