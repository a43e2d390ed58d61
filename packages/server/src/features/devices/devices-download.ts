import type { ResolvedFilter } from '@muster/filter'
import { formatNeutralRow } from '@muster/fleet-csv/csv/formulas'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { assertAtMost, badInput } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { pointsOfObjects, pointsOfRows } from '../../rate-limits/point-prices.ts'
import type { UserDevicesUrlArgs } from '../../resolvers.generated.ts'
import { namesOf } from '../../restriction.ts'
import { assertReadable, isReadableName, readableFilter, readableOnly } from '../attributes/attribute-access.ts'
import { joinAttributeName } from '../attributes/attribute-name.ts'
import { waitForEveryAttributeName } from '../attributes/names/list-attribute-names.ts'
import { listContextsOf, listOverridesIn } from '../attributes/overrides-of-devices.ts'
import { assertMayDownload, createDownloadLink } from '../downloads/create-link.ts'
import type { CsvList, Download } from '../downloads/serve-download.ts'
import { assertKnownNames } from '../filters/known-names.ts'
import { readFilterOf } from '../filters/read-filter.ts'
import { readSubject } from '../filters/read-subject.ts'
import { listServicesOfDevices } from '../services/services.ts'
import {
  type CsvColumn,
  type CsvDevice,
  csvColumn,
  importableFields,
  type NamedColumn,
} from './csv-download-columns.ts'
import { toDevice } from './device-row.ts'
import type { DeviceFilter } from './list/device-filter.ts'
import {
  countDevices,
  countInSample,
  type DevicePageQuery,
  type ListedDeviceRow,
  selectDevicePage,
} from './list/device-list.queries.ts'
import { readDeviceList } from './list/device-list-request.ts'
import { readDevicePage } from './list/device-page.ts'
import { placeOf } from './list/device-place.queries.ts'
import { rowsReadByPage } from './list/device-row-cost.ts'
import { type DeviceOrder, readDeviceOrder, readDeviceOrders, startAfter } from './list/device-sort.ts'

const PATH = '/devices/v1.csv'
/** The maximum number of columns, which is the same as in a view. */
const MAX_COLUMNS = 50
const FIRST_PAGE = 200
/** If a page of the file has more characters than this, the next page has fewer devices. */
const PAGE_CHARACTERS = 2 * 1024 * 1024

interface DeviceSelection extends Record<string, unknown> {
  list: 'devices'
  where: ResolvedFilter | undefined
  context: string | undefined
  now: number
  sortBy: readonly string[] | undefined
  columns: readonly NamedColumn[]
  owner: string
}

/**
 * Returns a URL for downloading devices as CSV. If the view `args.view` changes later, the URL still serves the same
 * selection.
 */
export async function devicesUrl(context: Context, args: UserDevicesUrlArgs): Promise<string> {
  assertMayDownload(context)
  const { columns: given, ...listArguments } = args
  const list = await readDeviceList(context, listArguments)
  const selection: DeviceSelection = {
    list: 'devices',
    where: list.filter.where?.filter,
    context: list.context,
    now: list.filter.now ?? context.clock().getTime(),
    sortBy: list.sortBy,
    columns: await readColumns(context, given, list.columns),
    owner: context.viewer.email,
  }
  const { where, view, context: inContext, sortBy } = args
  const description = {
    list: 'devices',
    ...(where && { where }),
    ...(view != null && { view }),
    ...(inContext != null && { context: inContext }),
    ...(sortBy != null && { sortBy }),
    ...(given != null && { columns: given }),
  }
  return createDownloadLink(context, { path: PATH, content: { filter: {}, selection }, description })
}

/**
 * If neither the request nor the view has columns, returns the importable fields and every readable attribute that a
 * device has.
 */
async function readColumns(
  context: Context,
  given: readonly string[] | null | undefined,
  ofView: readonly NamedColumn[],
): Promise<NamedColumn[]> {
  if (given == null && ofView.length === 0) {
    const names = await waitForEveryAttributeName(context)
    const attributes = names.filter(({ devices }) => devices > 0).map(({ name }) => `attributes.${name}`)
    return [...importableFields, ...attributes].map((name) => ({ name, label: null }))
  }
  if (given == null) {
    ofView.forEach((column, index) => void csvColumn(column, `column ${index + 1} of the view`))
    return ofView.map(({ name, label }) => ({ name, label }))
  }
  if (given.length === 0) throw badInput('columns must not be empty: to get the default columns, omit the argument')
  assertAtMost(MAX_COLUMNS, given.length, { path: 'columns', what: 'names' })
  for (const [index, name] of given.entries()) {
    const path = `columns[${index}]`
    csvColumn({ name, label: null }, path)
    if (name === 'services') continue
    const { subject, filter } = readSubject(name, path)
    // The column of an attribute that the caller cannot read is empty, like that of an attribute that no device has.
    const isHidden = subject.type === 'attribute' && !isReadableName(context.viewer, joinAttributeName(subject.name))
    if (!isHidden) await assertKnownNames(context, filter)
  }
  return given.map((name) => ({ name, label: null }))
}

export const devicesCsv: CsvList = {
  list: 'devices',
  path: PATH,
  fileName: 'devices.csv',
  field: 'devicesUrl',
  firstPoints: pointsOfObjects(FIRST_PAGE),
  pages,
}

function pages(download: Download): AsyncIterable<string> {
  const selection = download.content.selection as unknown as DeviceSelection
  const reader = download.reader()
  const order = orderOf(selection)
  for (const { by } of [order, ...order.further]) if (typeof by !== 'string') assertReadable(reader, by)
  const where = selection.where && readableFilter(reader, selection.where)
  return pagesOf(download, { ...selection, where }, order)
}

/** Yields the header, and then pages of devices. Reads the pages as the field `devices` does. */
async function* pagesOf(download: Download, selection: DeviceSelection, order: DeviceOrder): AsyncGenerator<string> {
  const { accountId } = download
  const columns = selection.columns.map((column) => csvColumn(column, 'columns'))
  yield formatNeutralRow(columns.map(({ header }) => header))
  const filter = filterOf(selection)
  const attributes = attributesRead(columns)
  let page: DevicePageQuery = { filter, order, start: { offset: 0 }, limit: FIRST_PAGE + 1, attributes }
  for (;;) {
    const size = page.limit - 1
    const inside = download.inside()
    if (inside !== undefined) page = { ...page, filter: { ...filter, inside } }
    const rows = await readPage(download, page)
    const devices = rows.slice(0, size).map((row) => toDevice(row, attributes))
    const details = await download.read((db) =>
      readDetails({ db, accountId, selection, columns, reader: download.reader() }, devices),
    )
    const text = details.map((device) => formatNeutralRow(columns.map(({ cell }) => cell(device)))).join('')
    if (text !== '') yield text
    if (rows.length <= size) return
    const limit = nextSize(size, text.length) + 1
    page = { ...page, limit, start: startAfter(order, placeOf(rows[size - 1]!, order)) }
    await download.charge(pointsOfObjects(limit))
  }
}

const orderOf = ({ sortBy, context }: DeviceSelection): DeviceOrder =>
  sortBy === undefined ? readDeviceOrder(null, context) : readDeviceOrders(sortBy, context)

const filterOf = ({ where, now, context }: DeviceSelection): DeviceFilter =>
  where === undefined
    ? {}
    : { where: readFilterOf(where, 'device', { hasContext: context !== undefined }), now, context }

function attributesRead(columns: readonly CsvColumn[]): DevicePageQuery['attributes'] {
  if (columns.some(({ reads }) => reads === 'attributes')) return true
  return columns.some(({ reads }) => reads === 'reserved') && 'reserved'
}

function readPage(download: Download, page: DevicePageQuery): Promise<ListedDeviceRow[]> {
  const { accountId } = download
  return readDevicePage({
    accountId,
    page,
    read: (query) => download.read((db) => selectDevicePage(db, accountId, query)),
    countInSample: (query) => download.read((db) => countInSample(db, accountId, query)),
    countAll: () => download.read((db) => countDevices(db, accountId, {})),
    async charge() {
      const all = await download.read((db) => countDevices(db, accountId, {}))
      await download.charge(pointsOfRows(rowsReadByPage(page, all).rows))
    },
  })
}

/** Returns the size of the next page. Pages must stay small if the devices have many attributes. */
const nextSize = (size: number, characters: number): number =>
  Math.max(1, Math.min(limits.pageSize, 2 * size, Math.floor((size * PAGE_CHARACTERS) / Math.max(1, characters))))

interface Reading {
  db: Database
  accountId: string
  selection: DeviceSelection
  columns: readonly CsvColumn[]
  reader: ReturnType<Download['reader']>
}

async function readDetails(
  { db, accountId, selection, columns, reader }: Reading,
  devices: readonly ReturnType<typeof toDevice>[],
): Promise<CsvDevice[]> {
  const has = (...kinds: CsvColumn['reads'][]): boolean => columns.some(({ reads }) => kinds.includes(reads))
  const { context, owner } = selection
  const ids = devices.map(({ id }) => id)
  const services = has('services') ? await listServicesOfDevices(db, accountId, devices) : []
  const contexts = has('contexts')
    ? await listContextsOf(db, accountId, { ids, readable: namesOf(reader) })
    : new Map<string, string[]>()
  const overrides =
    context !== undefined && has('attributes', 'reserved')
      ? await listOverridesIn(db, accountId, { ids, context })
      : new Map<string, CsvDevice['overrides']>()
  return devices.map((device, index) => ({
    device,
    attributes: readableOnly(reader, device.attributes?.value ?? device.reserved ?? {}),
    overrides: readableOnly(reader, overrides.get(device.id) ?? {}),
    services: services[index] ?? [],
    contexts: contexts.get(device.id) ?? [],
    owner,
  }))
}
