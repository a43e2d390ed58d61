import { isIndexed, type ResolvedFilter } from '@muster/filter'
import type { Context } from '../../../context.ts'
import { walk } from '../../../db/fair/user-database.ts'
import type { SqlStartByKeys } from '../../../db/sorted-page.ts'
import { ApiError, notFound } from '../../../errors.ts'
import { noRowsRead, type RowsRead } from '../../../graphql/cost/scanned-row-estimate.ts'
import type { SortKey } from '../../../graphql/lists/cursor.ts'
import { type List, listOf, type Start } from '../../../graphql/lists/paging.ts'
import { insideOf } from '../../../restriction.ts'
import { assertReadable } from '../../attributes/attribute-access.ts'
import { parseId } from '../../devices/device-id.ts'
import { countDevices, WALKED } from '../../devices/list/device-list.queries.ts'
import { UNINDEXED_RESTRICTION } from '../../devices/list/device-row-cost.ts'
import { assertKnownNames } from '../../filters/known-names.ts'
import { assertKnownSortKeys } from '../../filters/known-sort-keys.ts'
import { unindexedTerms } from '../../filters/read-filter.ts'
import { applyView } from '../../views/apply-view.ts'
import type { Service } from '../service.ts'
import { toService } from '../service-row.ts'
import {
  countServices,
  findServicePlace,
  type ListedServiceRow,
  type ServiceSearch,
  selectServicePage,
} from './service-list.queries.ts'
import {
  readServicesArguments,
  type ServiceListRequest,
  type ServicesArguments,
  servicePlace,
  serviceSortFields,
} from './service-list-arguments.ts'

/** Lists services other than bulk services. With `attributes`, also reads the services' attributes. */
export async function listServices(
  context: Context,
  args: ServicesArguments,
  { attributes }: { attributes: boolean },
): Promise<List<Service>> {
  const { db, viewer, firstRecord, rowMeter } = context
  const { accountId } = viewer
  const request = limitTo(insideOf(viewer), await applyViewTo(context, args, readServicesArguments(args, firstRecord)))
  const { selection, keys, order, page } = request
  for (const { by } of keys) if (typeof by !== 'string') assertReadable(viewer, by)
  if (args.sortBy != null) {
    const names = keys.map(({ by }) => by)
    await assertKnownSortKeys(context, args.sortBy, { kind: 'service', names, fields: serviceSortFields })
  }
  const start = await findStart(context, request)
  const limit = page.size + 1
  const read = (search?: ServiceSearch): Promise<ListedServiceRow[]> =>
    walk(db, rowsReadByPage(request).reasons, (walking) =>
      selectServicePage(walking, accountId, { selection, keys, start, limit, attributes, ...(search && { search }) }),
    )
  const charge = (): void => rowMeter.add(({ devices }) => rowsReadByPage(request, devices).rows)
  const isLong = await isLongWalk(context, request)
  if (!isLong) charge()
  const rows = isLong
    ? await readUnindexed({ read, charge, limit })
    : await read(isInDeviceOrder(request) ? 'lookup' : undefined)
  return listOf({
    rows,
    size: page.size,
    order,
    placeOf: ({ row, sortKeys }) => ({ id: row[1], key: JSON.parse(sortKeys) as SortKey[] }),
    toItem: ({ row }) => toService(row, row[0]),
    total() {
      rowMeter.add(({ devices }) => devices)
      return walk(db, ['total counts every service that matches the filter'], (walking) =>
        countServices(walking, accountId, selection),
      )
    },
  })
}

const limitTo = (inside: ResolvedFilter | undefined, request: ServiceListRequest): ServiceListRequest =>
  inside === undefined ? request : { ...request, selection: { ...request.selection, inside } }

/**
 * A walk is useful if all of these conditions are met:
 *
 * - The list is filtered or restricted, and no index supports the filter or the restriction.
 * - An index supports the order.
 * - The account has more than `WALKED` devices.
 */
async function isLongWalk({ db, viewer }: Context, { selection, keys }: ServiceListRequest): Promise<boolean> {
  if (reasonWithoutIndex(selection) === undefined || keys[0]!.by !== 'device.name') return false
  return (await countDevices(db, viewer.accountId, {})) > WALKED
}

/** Whether an index provides the order of devices, and no index finds the matches. */
const isInDeviceOrder = ({ selection, keys }: ServiceListRequest): boolean =>
  keys[0]!.by === 'device.name' && !hasIndexedFilter(selection)

/** Tries a walk first. A walk that fills the page reads few devices, so the server charges only for a scan. */
async function readUnindexed({
  read,
  charge,
  limit,
}: {
  read: (search: ServiceSearch) => Promise<ListedServiceRow[]>
  charge: () => void
  limit: number
}): Promise<ListedServiceRow[]> {
  const rows = await read('walk')
  if (rows.length >= limit) return rows
  charge()
  return read('scan')
}

async function applyViewTo(
  context: Context,
  args: ServicesArguments,
  given: ServiceListRequest,
): Promise<ServiceListRequest> {
  const { where, context: inContext } = given.selection
  if (where !== undefined) await assertKnownNames(context, where)
  const selection = await applyView(context, { where, viewId: args.view, inContext }, { kind: 'service' })
  if (selection.where === where && args.view == null) return given
  const sortBy = args.sortBy ?? selection.sortBy
  const read = { ...args, where: null, view: null, context: selection.context, sortBy }
  const request = readServicesArguments(read, context.firstRecord)
  return { ...request, selection: { ...request.selection, where: selection.where, now: given.selection.now } }
}

async function findStart(
  { db, viewer }: Context,
  { keys, selection, page }: ServiceListRequest,
): Promise<SqlStartByKeys> {
  const start: Start = page.start
  if ('offset' in start) return start
  if ('afterPlace' in start) return { afterKeys: servicePlace(keys, start.afterPlace) }
  const id = parseId(start.afterId)
  const { context, inside } = selection
  const place =
    id === undefined ? undefined : await findServicePlace(db, viewer.accountId, { keys, id, context, inside })
  if (place === undefined) throw notFound('service', start.afterId)
  return { afterKeys: servicePlace(keys, place) }
}

/**
 * Returns the maximum number of devices that the server reads for a page of `services` and for its `total`. Both
 * numbers are 0 if the field rejects the arguments.
 */
export function serviceRowsRead(
  args: ServicesArguments,
  { devices, firstRecord, inside }: { devices: number; firstRecord: 0 | 1; inside?: ResolvedFilter | undefined },
): { rows: number; total: number } {
  try {
    const { rows } = rowsReadByPage(limitTo(inside, readServicesArguments(args, firstRecord)), devices)
    return { rows: args.view == null ? rows : devices, total: devices }
  } catch (error) {
    if (error instanceof ApiError) return { rows: 0, total: 0 }
    throw error
  }
}

/**
 * Returns the number of devices that the server reads for a page, and the reasons. The number is 0 if the first sort
 * key is the device's name and `reasonWithoutIndex` returns undefined.
 */
function rowsReadByPage({ selection, keys }: ServiceListRequest, devices = Number.POSITIVE_INFINITY): RowsRead {
  const reasons = [reasonWithoutIndex(selection)].filter((reason) => reason !== undefined)
  if (keys[0]!.by !== 'device.name') reasons.push('sortBy: no index supports this order (sort by device.name first)')
  return reasons.length === 0 ? noRowsRead : { rows: devices, reasons }
}

/**
 * Returns the reason why no index supports the filter or the restriction. Returns undefined if an index supports one of
 * them, or if the list has neither a filter nor a restriction.
 */
function reasonWithoutIndex(selection: ServiceListRequest['selection']): string | undefined {
  if (hasIndexedFilter(selection)) return undefined
  if (selection.where !== undefined) return unindexedTerms(selection.where)
  return selection.inside === undefined ? undefined : UNINDEXED_RESTRICTION
}

const hasIndexedFilter = ({ where, inside }: ServiceListRequest['selection']): boolean =>
  where?.isIndexed || (inside !== undefined && isIndexed(inside, { kind: 'device' }))
