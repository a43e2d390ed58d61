import { type DevicePageQuery, type ListedDeviceRow, WALKED } from './device-list.queries.ts'
import { isIndexed } from './rows-read.ts'

export interface PageReading {
  page: Omit<DevicePageQuery, 'search'>
  read: (page: DevicePageQuery) => Promise<ListedDeviceRow[]>
  /** Charges for the rows that `rowsReadByPage` expects. */
  charge: () => Promise<void> | void
  /** Counts all devices of the account. */
  countAll: () => Promise<number>
}

/**
 * Reads one page. With a filter that no index serves, first reads the list in order, in the hope that the page is full soon. If
 * it is not, reads all devices. A walk that fills the page reads few devices and is not charged for.
 */
export async function readDevicePage({ page, read, charge, countAll }: PageReading): Promise<ListedDeviceRow[]> {
  const { where, inside } = page.filter
  if ((where === undefined && inside === undefined) || isIndexed(page.filter)) {
    await charge()
    return read(page)
  }
  const isLarge = (await countAll()) > WALKED
  const rows = await read({ ...page, search: isLarge ? 'walk' : 'planned' })
  if (rows.length >= page.limit) return rows
  await charge()
  return isLarge ? read({ ...page, search: 'scan' }) : rows
}
