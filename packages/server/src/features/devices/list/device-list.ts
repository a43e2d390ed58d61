import type { Context } from '../../../context.ts'
import { walk } from '../../../db/fair/user-database.ts'
import type { SqlStartByKeys } from '../../../db/sorted-page.ts'
import { notFound } from '../../../errors.ts'
import type { Place } from '../../../graphql/lists/cursor.ts'
import type { List } from '../../../graphql/lists/paging.ts'
import { listOf, type Start } from '../../../graphql/lists/paging.ts'
import { parseContext } from '../../attributes/attribute-name.ts'
import { assertKnownNames, assertKnownSortKeys } from '../../filters/account-names.ts'
import { applyView } from '../../views/use-view.ts'
import type { Device } from '../device.ts'
import { parseId } from '../device-id.ts'
import { type AttributesRead, toDevice } from '../device-row.ts'
import type { DeviceFilter } from './device-filter.ts'
import {
  countDevices,
  type DeviceStart,
  findPlace,
  type ListedDeviceRow,
  placeOf,
  type Search,
  selectDevicePage,
  WALKED,
} from './device-list.queries.ts'
import { type DeviceListArguments, readDeviceListArguments } from './device-list-arguments.ts'
import { type DeviceOrder, databasePlace, databasePlaces, deviceSortFields, isDefaultSort } from './device-sort.ts'
import { FAR, isIndexed, rowsReadByPage, rowsReadByTotal } from './rows-read.ts'

/** Returns one page of the viewer's devices. `attributes` states which attributes the document selects. */
export async function listDevices(
  context: Context,
  args: DeviceListArguments,
  { attributes }: { attributes: AttributesRead },
): Promise<List<Device>> {
  const { db, viewer, rowMeter } = context
  const { accountId } = viewer
  const { filter, order, page } = await readArguments(context, args)

  const total = (): Promise<number> => {
    rowMeter.add(({ devices }) => rowsReadByTotal(filter, devices).rows)
    return walk(db, rowsReadByTotal(filter).reasons, (walking) => countDevices(walking, accountId, filter))
  }
  const found = await findStart(page.start, order, (id) => findPlace(db, accountId, { order, id }))
  const start = isUnfiltered(filter) && order.further.length === 0 ? await fromNearerEnd(found, total) : found
  const { reasons } = rowsReadByPage({ filter, order, start })
  const read = (search: Search): Promise<ListedDeviceRow[]> =>
    walk(db, reasons, (walking) => {
      const limit = page.size + 1
      return selectDevicePage(walking, accountId, { filter, order, start, limit, attributes, search })
    })
  const charge = (): void => rowMeter.add(({ devices }) => rowsReadByPage({ filter, order, start }, devices).rows)
  const isFull = (rows: readonly unknown[]): boolean => rows.length > page.size
  const rows =
    filter.where === undefined || isIndexed(filter)
      ? await readCharged({ read, charge })
      : await readUnindexed({ read, charge, isFull, devices: await countDevices(db, accountId, {}) })
  return listOf({
    rows,
    size: page.size,
    order: order.text,
    placeOf: (row) => placeOf(row, order),
    toItem: (row) => toDevice(row, attributes),
    total,
  })
}

/** Reads the arguments, applies the view, and rejects attribute names that the account never used. */
async function readArguments(
  context: Context,
  args: DeviceListArguments,
): Promise<ReturnType<typeof readDeviceListArguments>> {
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
  if (selection.where === where && args.view == null) return given
  const isSorted = args.sortBy != null || !isDefaultSort(args.sort)
  const sortBy = isSorted ? args.sortBy : selection.sortBy
  const request = readDeviceListArguments({ ...args, where: null, context: selection.context, sortBy }, firstRecord)
  if (selection.where === undefined) return request
  const now = given.filter.now ?? Date.now()
  return { ...request, filter: { ...request.filter, where: selection.where, now, context: selection.context } }
}

interface Reading {
  read: (search: Search) => Promise<ListedDeviceRow[]>
  charge: () => void
}

function readCharged({ read, charge }: Reading): Promise<ListedDeviceRow[]> {
  charge()
  return read('planned')
}

/** A walk that fills the page reads few devices, so it is not charged. */
async function readUnindexed({
  read,
  charge,
  isFull,
  devices,
}: Reading & { isFull: (rows: readonly unknown[]) => boolean; devices: number }): Promise<ListedDeviceRow[]> {
  const rows = await read(devices > WALKED ? 'walk' : 'planned')
  if (isFull(rows)) return rows
  charge()
  return devices > WALKED ? read('scan') : rows
}

type AnyStart = DeviceStart | SqlStartByKeys

const isUnfiltered = (filter: DeviceFilter): boolean => Object.keys(filter).length === 0

async function fromNearerEnd(start: AnyStart, total: () => Promise<number>): Promise<AnyStart> {
  if (!('offset' in start) || start.offset < FAR) return start
  return { ...start, fromEnd: start.offset > (await total()) / 2 }
}

/** A device that the filters exclude still has a position. For a deleted device, throws NOT_FOUND. */
async function findStart(
  start: Start,
  order: DeviceOrder,
  findPlace: (id: string) => Promise<Place | undefined>,
): Promise<AnyStart> {
  const after = (place: Place): AnyStart =>
    order.further.length > 0 ? { afterKeys: databasePlaces(order, place) } : { after: databasePlace(order, place) }
  if ('offset' in start) return start
  if ('afterPlace' in start) return after(start.afterPlace)
  const id = parseId(start.afterId)
  const place = id === undefined ? undefined : await findPlace(id)
  if (place === undefined) throw notFound('device', start.afterId)
  return after(place)
}
