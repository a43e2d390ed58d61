import type { Context } from '../../../context.ts'
import { walk } from '../../../db/fair/user-database.ts'
import type { SqlStartByKeys } from '../../../db/sorted-page.ts'
import { notFound } from '../../../errors.ts'
import type { Place } from '../../../graphql/lists/cursor.ts'
import { type List, listOf, type Start } from '../../../graphql/lists/paging.ts'
import { namesOf } from '../../../restriction.ts'
import type { Device } from '../device.ts'
import { parseId } from '../device-id.ts'
import { type AttributesRead, readableRow, toDevice } from '../device-row.ts'
import type { DeviceFilter } from './device-filter.ts'
import { countDevices, countInSample, type DeviceStart, selectDevicePage } from './device-list.queries.ts'
import { type DeviceListArguments, readDeviceList } from './device-list-request.ts'
import { readDevicePage } from './device-page.ts'
import { findPlace, placeOf } from './device-place.queries.ts'
import { FAR, rowsReadByPage, rowsReadByTotal } from './device-row-cost.ts'
import { type DeviceOrder, startAfter } from './device-sort.ts'

/** `attributes` describes the attributes that the document selects. */
export async function listDevices(
  context: Context,
  args: DeviceListArguments,
  { attributes }: { attributes: AttributesRead },
): Promise<List<Device>> {
  const { db, viewer, rowMeter } = context
  const { accountId } = viewer
  const { filter, order, page } = await readDeviceList(context, args)

  const total = (): Promise<number> => {
    rowMeter.add(({ devices }) => rowsReadByTotal(filter, devices).rows)
    return walk(db, rowsReadByTotal(filter).reasons, (walking) => countDevices(walking, accountId, filter))
  }
  const found = await findStart(page.start, order, (id) =>
    findPlace(db, accountId, { order, id, inside: filter.inside }),
  )
  const start = isUnfiltered(filter) && order.further.length === 0 ? await fromNearerEnd(found, total) : found
  const { reasons } = rowsReadByPage({ filter, order, start })
  const read = await readDevicePage({
    accountId,
    page: { filter, order, start, limit: page.size + 1, attributes },
    read: (query) => walk(db, reasons, (walking) => selectDevicePage(walking, accountId, query)),
    countInSample: (query) => countInSample(db, accountId, query),
    charge: () => rowMeter.add(({ devices }) => rowsReadByPage({ filter, order, start }, devices).rows),
    countAll: () => countDevices(db, accountId, {}),
  })
  const rows = namesOf(viewer) === undefined ? read : read.map((row) => readableRow(viewer, row, attributes))
  return listOf({
    rows,
    size: page.size,
    order: order.text,
    placeOf: (row) => placeOf(row, order),
    toItem: (row) => toDevice(row, attributes),
    total,
  })
}

type AnyStart = DeviceStart | SqlStartByKeys

const isUnfiltered = (filter: DeviceFilter): boolean => Object.keys(filter).length === 0

async function fromNearerEnd(start: AnyStart, total: () => Promise<number>): Promise<AnyStart> {
  if (!('offset' in start) || start.offset < FAR) return start
  return { ...start, fromEnd: start.offset > (await total()) / 2 }
}

/**
 * Throws NOT_FOUND if the page is to start after a device that does not exist or that the caller cannot reach. A device
 * that the filters exclude still has a position.
 */
async function findStart(
  start: Start,
  order: DeviceOrder,
  findPlace: (id: string) => Promise<Place | undefined>,
): Promise<AnyStart> {
  if ('offset' in start) return start
  if ('afterPlace' in start) return startAfter(order, start.afterPlace)
  const id = parseId(start.afterId)
  const place = id === undefined ? undefined : await findPlace(id)
  if (place === undefined) throw notFound('device', start.afterId)
  return startAfter(order, place)
}
