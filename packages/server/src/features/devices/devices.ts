import type { Context } from '../../context.ts'
import { insideOf } from '../../restriction.ts'
import type { Device } from './device.ts'
import { parseId } from './device-id.ts'
import type { AttributesRead } from './device-row.ts'
import { deviceExists, selectDevices, selectReached } from './devices.queries.ts'
import { readIds } from './list/device-filter.ts'

/**
 * Keeps the requested order. Omits duplicates, and IDs that are unknown, malformed, or out of the viewer's reach.
 * Throws LIMIT_EXCEEDED if there are too many IDs.
 */
export async function findDevices(
  { db, viewer }: Context,
  ids: readonly string[],
  { attributes }: { attributes: AttributesRead } = { attributes: true },
): Promise<Device[]> {
  const stored = readIds(ids, 'id')
  if (stored.length === 0) return []
  const found = await selectDevices(db, viewer.accountId, { ids: stored, attributes, inside: insideOf(viewer) })
  const byId = new Map(found.map((device) => [device.id, device]))
  return stored.map((id) => byId.get(id)).filter((device) => device !== undefined)
}

export const findReached = selectReached

export async function hasDevice({ db, viewer }: Pick<Context, 'db' | 'viewer'>, deviceId: string): Promise<boolean> {
  const id = parseId(deviceId)
  return id !== undefined && (await deviceExists(db, viewer.accountId, { id, inside: insideOf(viewer) }))
}
