import type { Context } from '../../../context.ts'
import { type Page, type PageArguments, readPage, withoutCursor } from '../../../graphql/lists/paging.ts'
import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { assertReadable, assertReadsAll } from '../../attributes/attribute-access.ts'
import { parseContext } from '../../attributes/attribute-name.ts'
import { assertKnownNames } from '../../filters/known-names.ts'
import { assertKnownSortKeys } from '../../filters/known-sort-keys.ts'
import { applyView } from '../../views/apply-view.ts'
import type { ViewColumn } from '../../views/view.ts'
import { type DeviceFilter, type DeviceFilterArguments, readDeviceFilter } from './device-filter.ts'
import { type DeviceOrder, deviceSortFields, readDeviceOrder, readDeviceOrders } from './device-sort.ts'

export interface DeviceListArguments extends PageArguments, DeviceFilterArguments {
  sort?: string | null | undefined
  /** If set, `sort` is ignored. */
  sortBy?: readonly string[] | null | undefined
  context?: string | null | undefined
}

export interface DeviceListRequest {
  filter: DeviceFilter
  order: DeviceOrder
  page: Page
}

/** If `args.view` is set, ignores `after` and `last`, because a cursor belongs to an order that the view may define. */
export function readDeviceListArguments(args: DeviceListArguments, firstRecord: 0 | 1): DeviceListRequest {
  const context = parseContext(args.context, 'context')
  const order = args.sortBy == null ? readDeviceOrder(args.sort, context) : readDeviceOrders(args.sortBy, context)
  const filter = readDeviceFilter(args, context)
  const ofPage = args.view == null ? args : withoutCursor(args)
  return { filter, order, page: readPage(ofPage, { order: order.text, firstRecord }) }
}

export interface DeviceListWithView extends DeviceListRequest {
  context: string | undefined
  /** Undefined if `sort` or the default defines the order. */
  sortBy: readonly string[] | undefined
  /** The view's columns. Empty if the list has no view. */
  columns: readonly ViewColumn[]
}

/**
 * Reads the arguments and applies the view and the caller's restriction. Rejects unknown names in `where` and `sortBy`,
 * and attribute names that the caller cannot read.
 */
export async function readDeviceList(context: Context, args: DeviceListArguments): Promise<DeviceListWithView> {
  const list = await readWithView(context, args)
  const inside = insideOf(context.viewer)
  assertReadableOrder(context.viewer, list)
  return inside === undefined ? list : { ...list, filter: { ...list.filter, inside } }
}

function assertReadableOrder(viewer: Viewer, { order, filter }: DeviceListRequest): void {
  for (const { by } of [order, ...order.further]) if (typeof by !== 'string') assertReadable(viewer, by)
  for (const { name, value } of filter.values ?? []) {
    assertReadable(viewer, name)
    // A condition for a missing value would show whether a device has a group with this name.
    if (value === null) assertReadsAll(viewer, 'a null value in the argument attributes')
  }
}

async function readWithView(context: Context, args: DeviceListArguments): Promise<DeviceListWithView> {
  const { firstRecord } = context
  const given = readDeviceListArguments(args, firstRecord)
  const { where } = given.filter
  if (where !== undefined) await assertKnownNames(context, where)
  if (args.sortBy != null) {
    const names = [given.order, ...given.order.further].map(({ by }) => by)
    await assertKnownSortKeys(context, args.sortBy, { kind: 'device', names, fields: deviceSortFields })
  }
  const own = { where, viewId: args.view, inContext: parseContext(args.context, 'context') }
  const selection = await applyView(context, own, { kind: 'device' })
  const isSorted = args.sortBy != null || args.sort != null
  const sortBy = (isSorted ? args.sortBy : selection.sortBy) ?? undefined
  const used = { context: selection.context, sortBy, columns: selection.columns }
  if (selection.where === where && args.view == null) return { ...given, ...used }
  const read = { ...args, where: null, view: null, context: selection.context, sortBy }
  const request = readDeviceListArguments(read, firstRecord)
  if (selection.where === undefined) return { ...request, ...used }
  const now = (args.now ?? new Date()).getTime()
  const filter = { ...request.filter, where: selection.where, now, context: selection.context }
  return { ...request, filter, ...used }
}
