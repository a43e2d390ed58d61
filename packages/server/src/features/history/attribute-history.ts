import type { Context } from '../../context.ts'
import { walk } from '../../db/fair/user-database.ts'
import { badInput } from '../../errors.ts'
import { type List, listOf, readPage } from '../../graphql/lists/paging.ts'
import { loaderByArguments } from '../../graphql/loaders.ts'
import { once } from '../../lib/once.ts'
import { namesOf } from '../../restriction.ts'
import { joinAttributeName, parseAttributeName, parseContext } from '../attributes/attribute-name.ts'
import { assertEventExists, eventId } from '../events/events.ts'
import { timesSince } from '../freshness/value-times.ts'
import {
  type ChangeFilter,
  type ChangePlace,
  type ChangeRow,
  type ChangeSlice,
  countChanges,
  findOldestPartition,
  type Owner,
  selectChanges,
} from './attribute-history.queries.ts'
import { ASSUMED_SKIPPED, historyRowsRead } from './history-row-cost.ts'

export type AttributeChange = ChangeRow
export type AttributeChangeList = List<AttributeChange>

/** Null is equivalent to an omitted argument. */
export interface HistoryArguments {
  name?: string | null
  context?: string | null
  minDate?: Date | null
  maxDate?: Date | null
  size?: number | null
  after?: string | null
}

/** Lists the changes to an object's attributes. One statement reads the changes to all objects on a page. */
export const listChanges = (context: Context, args: HistoryArguments, owner: Owner): Promise<AttributeChangeList> =>
  loadChanges(context, { args, ofAccount: owner.deviceId === null }, owner)

const loadChanges = loaderByArguments(readPages)

async function readPages(
  context: Context,
  { args, ofAccount }: { args: HistoryArguments; ofAccount: boolean },
  asked: readonly Owner[],
): Promise<AttributeChangeList[]> {
  const { db, viewer, rowMeter } = context
  const reads = historyRowsRead(args, { ofDevices: !ofAccount })
  const slice = await readSlice(context, args)
  const owners = [...new Map(asked.map((owner) => [owner.id, owner])).values()]
  if (reads.page.rows > 0) rowMeter.add(({ events }) => Math.min(owners.length * ASSUMED_SKIPPED, events))
  const changes = await walk(db, reads.page.reasons, (walking) =>
    selectChanges(walking, viewer.accountId, { owners, slice }),
  )
  const found = Map.groupBy(changes, ({ targetId }) => targetId)
  const count = once(() => {
    rowMeter.add(({ events }) => Math.min(reads.total.rows, events))
    return walk(db, reads.total.reasons, (walking) =>
      countChanges(walking, viewer.accountId, { owners, filter: slice.filter }),
    )
  })
  return asked.map(({ id }) =>
    listOf({
      rows: found.get(id) ?? [],
      size: slice.limit - 1,
      order: ORDER,
      placeOf: (row) => ({ id: row.id, key: row.name }),
      toItem: (row) => row,
      total: async () => (await count()).get(id) ?? 0,
    }),
  )
}

/** Cursors of changes contain this string as their order, so a cursor from another kind of list is invalid. */
const ORDER = 'changes'

async function readSlice(context: Context, args: HistoryArguments): Promise<ChangeSlice> {
  const page = readPage(args, { order: ORDER, firstRecord: context.firstRecord })
  const readable = namesOf(context.viewer)
  return {
    filter: { ...readFilter(args), ...(readable && { readable }) },
    after: 'offset' in page.start ? undefined : await readPlace(context, page.start),
    limit: page.size + 1,
  }
}

async function readPlace(
  context: Context,
  start: { afterId: string } | { afterPlace: { id: string; key: unknown } },
): Promise<ChangePlace> {
  if ('afterId' in start) {
    await assertEventExists(context, start.afterId)
    return { eventId: start.afterId }
  }
  const { id, key } = start.afterPlace
  if (!eventId.test(id) || typeof key !== 'string')
    throw badInput('after must be an event ID or a cursor from the previous page')
  return { eventId: id, name: key }
}

function readFilter({ name, context, minDate, maxDate }: HistoryArguments): ChangeFilter {
  if (minDate != null && maxDate != null && minDate > maxDate)
    throw badInput(`minDate must not be after maxDate: ${minDate.toISOString()} is after ${maxDate.toISOString()}`)
  const inContext = parseContext(context, 'context')
  return {
    ...(name != null && { name: joinAttributeName(parseAttributeName(name, 'name')) }),
    ...(inContext !== undefined && { context: inContext }),
    ...(minDate != null && { from: minDate }),
    ...(maxDate != null && { until: maxDate }),
  }
}

export async function readHistorySpan(context: Context): Promise<{ earliest: Date; timesSince: Date }> {
  const [, year, month] = (await findOldestPartition(context.db)).split('_')
  return {
    earliest: new Date(Date.UTC(Number(year), Number(month) - 1, 1)),
    timesSince: new Date(await timesSince(context)),
  }
}
