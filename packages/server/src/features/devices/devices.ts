import type { Context } from '../../context.ts'
import type { Device } from './device.ts'
import { parseId } from './device-id.ts'
import type { AttributesRead } from './device-row.ts'
import { deviceExists, selectDevices } from './devices.queries.ts'
import { readIds } from './list/device-filter.ts'

/**
 * The viewer's devices with these ids, in the requested order, each once. Unknown ids, malformed ids, and ids of other users
 * are omitted.
 */
export async function findDevices(
  { db, viewer }: Context,
  ids: readonly string[],
  { attributes }: { attributes: AttributesRead } = { attributes: true },
): Promise<Device[]> {
  const stored = readIds(ids, 'id')
  if (stored.length === 0) return []
  const found = await selectDevices(db, viewer.accountId, { ids: stored, attributes })
  const byId = new Map(found.map((device) => [device.id, device]))
  return stored.map((id) => byId.get(id)).filter((device) => device !== undefined)
}

/** Whether the viewer has a device with this id. */
export async function hasDevice({ db, viewer }: Context, deviceId: string): Promise<boolean> {
  const id = parseId(deviceId)
  return id !== undefined && (await deviceExists(db, viewer.accountId, id))
}
