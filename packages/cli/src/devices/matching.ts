import type { Muster } from '@muster/client'
import type { DeviceRow } from './device-columns.ts'
import type { Where } from './where.ts'

interface ListQuery {
  /** The fields to select. Must include `name`. */
  select: object
  sort: string
  limit: number
}

const MAX_PAGE_SIZE = 1_000

/** Yields the devices that match. */
export async function* matching(
  muster: Muster,
  { filter, exactName }: Where,
  { select, sort, limit }: ListQuery,
): AsyncGenerator<DeviceRow> {
  const size = exactName === undefined ? Math.min(MAX_PAGE_SIZE, limit + 1) : MAX_PAGE_SIZE
  // Callers select the fields that they show, so the rows have the type DeviceRow.
  const devices = muster.devices({ ...filter, sort, size, select: select as { id: true } })
  for await (const device of devices as unknown as AsyncIterable<DeviceRow>) {
    if (exactName === undefined || device.name === exactName) yield device
  }
}
