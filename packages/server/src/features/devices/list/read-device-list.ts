import type { Context } from '../../../context.ts'
import { insideOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { parseContext } from '../../attributes/attribute-name.ts'
import { assertReadable, assertReadsAll } from '../../attributes/readable-names.ts'
import { assertKnownNames, assertKnownSortKeys } from '../../filters/account-names.ts'
import { applyView } from '../../views/use-view.ts'
import type { ViewColumn } from '../../views/view.ts'
import { type DeviceListArguments, type DeviceListRequest, readDeviceListArguments } from './device-list-arguments.ts'
import { deviceSortFields } from './device-sort.ts'

export interface DeviceListWithView extends DeviceListRequest {
  context: string | undefined
  /** Undefined if `sort` or the default defines the order. */
  sortBy: readonly string[] | undefined
  /** The view's columns. Empty if the list has no view. */
  columns: readonly ViewColumn[]
}

/** Rejects unknown names in `where` and `sortBy` (see `assertKnownNames`), and names that the caller cannot read. */
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
    if (value === null) assertReadsAll(viewer, 'null in attributes')
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
  const request = readDeviceListArguments({ ...args, where: null, context: selection.context, sortBy }, firstRecord)
  if (selection.where === undefined) return { ...request, ...used }
  const now = given.filter.now ?? Date.now()
  const filter = { ...request.filter, where: selection.where, now, context: selection.context }
  return { ...request, filter, ...used }
}
