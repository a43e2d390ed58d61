import { type DevicePageQuery, type ListedDeviceRow, WALKED } from './device-list.queries.ts'
import { isIndexed } from './device-row-cost.ts'

export interface PageReading {
  page: Omit<DevicePageQuery, 'search'>
  read: (page: DevicePageQuery) => Promise<ListedDeviceRow[]>
  charge: () => Promise<void> | void
  countAll: () => Promise<number>
}

/**
 * Reads one page. If no index supports the filter and the account has more than `WALKED` devices, first reads that many
 * devices in order, which usually fills the page. If this read does not fill the page, reads all devices. A page that
 * the first read fills is free of charge, because the read ends early.
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
