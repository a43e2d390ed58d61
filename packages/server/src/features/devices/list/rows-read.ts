import type { SqlStart } from '../../../db/sorted-page.ts'
import { ApiError } from '../../../errors.ts'
import { noRowsRead, type RowsRead } from '../../../graphql/cost/rows-read.ts'
import { joinAttributeName } from '../../attributes/attribute-name.ts'
import { BULK_SERVICE } from '../../services/application-types.ts'
import type { DeviceFilter } from './device-filter.ts'
import { type DeviceListArguments, readDeviceListArguments } from './device-list-arguments.ts'
import { keyOf } from './device-sort.queries.ts'
import type { DeviceOrder } from './device-sort.ts'

/** The rows that one device list reads for its page, and for its `total` if requested. */
export interface DeviceListReads {
  page: RowsRead
  total: RowsRead
}

/** Skipping fewer devices takes no longer than a query for the number of devices. */
export const FAR = 5_000

/**
 * The rows that `devices` with these arguments may read beyond those it returns, in an account with this many devices. It is
 * known before the field runs, so that the server can charge for it, queue it, and name the expensive argument in an error.
 * Arguments that `devices` rejects read no rows.
 */
export function rowsRead(
  args: DeviceListArguments,
  { devices, firstRecord }: { devices: number; firstRecord: 0 | 1 },
): DeviceListReads {
  try {
    const { filter, order, page } = readDeviceListArguments(args, firstRecord)
    const offset = 'offset' in page.start ? page.start.offset : 0
    return {
      page: rowsReadByPage({ filter, order, start: { offset } }, devices),
      total: rowsReadByTotal(filter, devices),
    }
  } catch (error) {
    if (error instanceof ApiError) return { page: noRowsRead, total: noRowsRead }
    throw error
  }
}

/** The rows that a page may read but not return. `devices` is the number of the account's devices, infinite if unknown. */
export function rowsReadByPage(
  { filter, order, start }: { filter: DeviceFilter; order: DeviceOrder; start: SqlStart },
  devices = Number.POSITIVE_INFINITY,
): RowsRead {
  const matches = maxMatches(filter)
  if (matches !== undefined) return { rows: Math.min(matches, devices), reasons: [] }
  const reasons = [...reasonsInSort(order), ...reasonsInFilter(filter)]
  if (reasons.length > 0) return { rows: devices, reasons }
  return 'offset' in start ? skippedRows(start.offset, filter, devices) : noRowsRead
}

/** The rows that counting the matches reads. Without a filter, a stored count is used, and no rows are counted. */
export function rowsReadByTotal(filter: DeviceFilter, devices = Number.POSITIVE_INFINITY): RowsRead {
  if (Object.keys(filter).length === 0) return noRowsRead
  const matches = maxMatches(filter)
  if (matches !== undefined) return { rows: Math.min(matches, devices), reasons: [] }
  return { rows: devices, reasons: ['total counts every device that matches the filter', ...reasonsInFilter(filter)] }
}

/** The maximum number of matches of a filter by ids or hardware id; undefined for other filters. */
function maxMatches({ ids, hardwareId }: DeviceFilter): number | undefined {
  return hardwareId !== undefined ? Math.min(1, ids?.length ?? 1) : ids?.length
}

function skippedRows(offset: number, filter: DeviceFilter, devices: number): RowsRead {
  if (offset < FAR) return noRowsRead
  // Without a filter, the page is read from the nearer end.
  const isFiltered = Object.keys(filter).length > 0
  const rows = isFiltered ? Math.min(offset, devices) : Math.max(0, Math.min(offset, devices - offset))
  return { rows, reasons: [`from skips ${offset} devices; after starts directly after a device`] }
}

function reasonsInSort(order: DeviceOrder): string[] {
  const { by, context } = order
  if (typeof by === 'string' || !keyOf(order).isComputed) return []
  const name = JSON.stringify(joinAttributeName(by))
  if (context !== undefined) return [`sort: ${name} in a context has no index`]
  return [
    `sort: ${name} has no index; the fields of a device and the attributes $svc.categoryA to $svc.statusE have one`,
  ]
}

/** Empty if an index finds the matching devices, or if every device matches. */
function reasonsInFilter(filter: DeviceFilter): string[] {
  if (isIndexed(filter)) return []
  const reasons: string[] = []
  if (filter.name !== undefined)
    reasons.push(
      `name: ${JSON.stringify(filter.name)} has fewer than 3 letters or digits in a row, so no index finds it`,
    )
  if (filter.values !== undefined) reasons.push('attributes: no index finds devices by a value that is null')
  return reasons
}

/** Whether an index finds the matching devices by one of the conditions. Devices must match all conditions. */
const isIndexed = ({ name, state, platforms, applications, values }: DeviceFilter): boolean =>
  state !== undefined ||
  platforms !== undefined ||
  // Every device has its bulk service, so an index does not help to find it.
  (applications !== undefined && !applications.includes(BULK_SERVICE)) ||
  (name !== undefined && hasTrigram(name)) ||
  (values?.some(({ value }) => value !== null) ?? false)

/** The index finds parts of names with three consecutive letters or digits. Each sigma is searched as any character. */
const hasTrigram = (part: string): boolean => /[\p{L}\p{N}]{3}/u.test(part.replaceAll(/[Σσς]/g, '_'))
