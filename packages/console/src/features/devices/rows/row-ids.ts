import type { Client } from 'urql'
import { DeviceIdsDocument } from '../devices.generated.ts'
import type { DeviceRows } from './load-device-rows.ts'

const MAX_IDS = 1_000

/**
 * Returns the IDs of the devices in a range of rows. For each row that is not loaded, fetches the ID of the device that
 * is now at the row's position. Throws the error of a failed request.
 */
export async function readRowIds(
  client: Client,
  rows: DeviceRows,
  { first, last }: { first: number; last: number },
): Promise<string[]> {
  const { filter, sortBy, firstRecord } = rows.query
  const ids: string[] = []
  for (let index = first; index <= last; ) {
    const known = rows.row(index)?.device.id
    if (known !== undefined) {
      ids.push(known)
      index++
      continue
    }
    let end = index + 1
    while (end <= last && end - index < MAX_IDS && rows.row(end) === undefined) end++
    const variables = { ...filter, sortBy, from: index + firstRecord, size: end - index }
    const { data, error } = await client
      .query(DeviceIdsDocument, variables, { requestPolicy: 'network-only' })
      .toPromise()
    if (error !== undefined) throw error
    ids.push(...(data?.login?.devices.items ?? []).map(({ id }) => id))
    index = end
  }
  return ids
}
