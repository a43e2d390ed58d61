import type { Muster } from '@muster/client'
import type { DeviceRow } from './device-columns.ts'

interface ListQuery {
  where: string | undefined
  view?: string | undefined
  context?: string | undefined
  select: object
  sortBy: readonly string[]
  limit: number
}

const MAX_PAGE_SIZE = 1_000

export function matching(
  muster: Muster,
  { where, view, context, select, sortBy, limit }: ListQuery,
): AsyncIterable<DeviceRow> {
  const devices = muster.devices({
    ...(where !== undefined && { where }),
    ...(view !== undefined && { view }),
    ...(context !== undefined && { context }),
    sortBy,
    size: Math.min(MAX_PAGE_SIZE, limit + 1),
    // The casts are valid, because callers select at least the required fields of a DeviceRow.
    select: select as { id: true },
  })
  return devices as unknown as AsyncIterable<DeviceRow>
}
