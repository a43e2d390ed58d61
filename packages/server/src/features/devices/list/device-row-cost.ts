import { isIndexed as isFilterIndexed, type ResolvedFilter } from '@muster/filter'
import type { SqlStart, SqlStartByKeys } from '../../../db/sorted-page.ts'
import { ApiError } from '../../../errors.ts'
import { noRowsRead, type RowsRead } from '../../../graphql/cost/scanned-row-estimate.ts'
import { joinAttributeName } from '../../attributes/attribute-name.ts'
import { unindexedTerms } from '../../filters/read-filter.ts'
import { BULK_SERVICE } from '../../services/application-types.ts'
import type { DeviceFilter } from './device-filter.ts'
import { type DeviceListArguments, readDeviceListArguments } from './device-list-request.ts'
import { keyOf } from './device-sort.queries.ts'
import type { DeviceOrder } from './device-sort.ts'

export interface DeviceListReads {
  page: RowsRead
  total: RowsRead
}

/** The reason why the server reads many devices for a restricted caller's list. */
export const UNINDEXED_RESTRICTION = 'no index finds the devices that the role or key is restricted to'

/**
 * The smallest offset that the server charges for. Skipping fewer devices takes no longer than the query for the number
 * of devices.
 */
export const FAR = 5_000

/**
 * Estimates how many rows the server may read but not return for the `devices` field. The server needs the estimate
 * before the field runs. If this function cannot parse the arguments, the estimate is 0.
 */
export function rowsRead(
  args: DeviceListArguments,
  { devices, firstRecord, inside }: { devices: number; firstRecord: 0 | 1; inside?: ResolvedFilter | undefined },
): DeviceListReads {
  try {
    const { filter: given, order, page } = readDeviceListArguments(args, firstRecord)
    const filter = inside === undefined ? given : { ...given, inside }
    // The server has not read the view yet, so the estimate is the maximum.
    if (args.view != null) return { page: { rows: devices, reasons: [] }, total: { rows: devices, reasons: [] } }
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

/** Estimates how many rows the server reads for a page. `devices` is the number of devices, or infinite if unknown. */
export function rowsReadByPage(
  { filter, order, start }: { filter: DeviceFilter; order: DeviceOrder; start: SqlStart | SqlStartByKeys },
  devices = Number.POSITIVE_INFINITY,
): RowsRead {
  const matches = maxMatches(filter)
  if (matches !== undefined) return { rows: Math.min(matches, devices), reasons: [] }
  const reasons = [...reasonsInSort(order), ...reasonsInFilter(filter)]
  if (reasons.length > 0) return { rows: devices, reasons }
  return 'offset' in start ? skippedRows(start.offset, filter, devices) : noRowsRead
}

/** Without a filter, `total` returns a stored count, so the server reads no rows. */
export function rowsReadByTotal(filter: DeviceFilter, devices = Number.POSITIVE_INFINITY): RowsRead {
  if (Object.keys(filter).length === 0) return noRowsRead
  const matches = maxMatches(filter)
  if (matches !== undefined) return { rows: Math.min(matches, devices), reasons: [] }
  return { rows: devices, reasons: ['total counts every device that matches the filter', ...reasonsInFilter(filter)] }
}

/** Returns the maximum number of matches, or undefined if the filter contains neither IDs nor a hardware ID. */
function maxMatches({ ids, hardwareId }: DeviceFilter): number | undefined {
  return hardwareId !== undefined ? Math.min(1, ids?.length ?? 1) : ids?.length
}

function skippedRows(offset: number, filter: DeviceFilter, devices: number): RowsRead {
  if (offset < FAR) return noRowsRead
  // Without a filter, the statement reads the page from the nearer end of the list.
  const isFiltered = Object.keys(filter).length > 0
  const rows = isFiltered ? Math.min(offset, devices) : Math.max(0, Math.min(offset, devices - offset))
  const reason = `the argument from skips ${offset} devices; use the argument after to start directly after a device`
  return { rows, reasons: [reason] }
}

function reasonsInSort(order: DeviceOrder): string[] {
  if (order.further.length > 0) return ['sortBy: no index supports an order by several keys']
  const { by, context } = order
  if (typeof by === 'string' || !keyOf(order).isComputed) return []
  const name = JSON.stringify(joinAttributeName(by))
  if (context !== undefined) return [`sort key ${name} in a context has no index`]
  return [
    `sort key ${name} has no index; device fields that are sort keys and the attributes $svc.categoryA to $svc.categoryE and $svc.statusA to $svc.statusE have indexes`,
  ]
}

/** Returns no reasons if an index finds the matching devices or if every device matches. */
function reasonsInFilter(filter: DeviceFilter): string[] {
  if (isIndexed(filter)) return []
  const reasons: string[] = []
  if (filter.name !== undefined)
    reasons.push(
      `name: ${JSON.stringify(filter.name)} has fewer than 3 consecutive letters (except sigma) or digits, so no index can find it`,
    )
  if (filter.values !== undefined) reasons.push('attributes: no index can find devices by a null value')
  if (filter.where !== undefined) reasons.push(unindexedTerms(filter.where))
  if (filter.inside !== undefined) reasons.push(UNINDEXED_RESTRICTION)
  return reasons
}

/** Checks whether an index supports one of the conditions other than IDs and the hardware ID (see `maxMatches`). */
export const isIndexed = ({ name, state, platforms, applications, values, where, inside }: DeviceFilter): boolean =>
  (inside !== undefined && isFilterIndexed(inside, { kind: 'device' })) ||
  state !== undefined ||
  platforms !== undefined ||
  // Every device has a bulk service, so the type of this service does not exclude any device.
  (applications !== undefined && !applications.includes(BULK_SERVICE)) ||
  (name !== undefined && hasTrigram(name)) ||
  (values?.some(({ value }) => value !== null) ?? false) ||
  (where?.isIndexed ?? false)

/**
 * Checks for three consecutive letters or digits, without which the index cannot find a part of a name. A sigma does
 * not count, because the search replaces it with a wildcard.
 */
const hasTrigram = (part: string): boolean => /[\p{L}\p{N}]{3}/u.test(part.replaceAll(/[Σσς]/g, '_'))
