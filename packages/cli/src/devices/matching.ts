import type { Muster } from '@muster/client'
import type { DeviceRow } from './device-columns.ts'
import type { Where } from './where.ts'

interface Asked {
  /** What to ask of each, `name` among it. */
  select: object
  sort: string
  limit: number
}

const MOST_A_PAGE = 1_000

/** The devices that match, as they come. */
export async function* matching(
  muster: Muster,
  { filter, exactName }: Where,
  { select, sort, limit }: Asked,
): AsyncGenerator<DeviceRow> {
  const size = exactName === undefined ? Math.min(MOST_A_PAGE, limit + 1) : MOST_A_PAGE
  // What is asked for is known to the caller; its rows have the fields that they show.
  const devices = muster.devices({ ...filter, sort, size, select: select as { id: true } })
  for await (const device of devices as unknown as AsyncIterable<DeviceRow>) {
    if (exactName === undefined || device.name === exactName) yield device
  }
}
