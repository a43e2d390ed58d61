import type { Database } from '../../../db/database.ts'
import type { Viewer } from '../../../viewer.ts'
import { parseId } from '../device-id.ts'
import { findDeviceOwner } from './device-secret.queries.ts'
import { isDeviceSecret } from './device-secret.ts'

/** An authenticated device and the viewer that it acts as. */
export interface AuthenticatedDevice {
  deviceId: string
  viewer: Viewer
}

/** Returns undefined, after the same time, for an unknown device or a wrong secret. `id` is an id as stored (`parseId`). */
export async function verifyDeviceCredentials(
  db: Database,
  { id, secret }: { id: string; secret: string },
): Promise<AuthenticatedDevice | undefined> {
  const owner = await findDeviceOwner(db, id)
  if (!isDeviceSecret(secret, owner?.secretHash) || owner === undefined) return undefined
  const { accountId, email } = owner
  return { deviceId: id, viewer: { accountId, email, readOnly: false, isDevice: true } }
}

/**
 * The device id for an HTTP Basic user name, which is the digits of the id, because it cannot contain a colon (RFC 7617 §2).
 */
export const idOfBasicUser = (user: string): string | undefined =>
  /^[0-9a-f]{16}$/i.test(user) ? parseId(user.replace(/..(?!$)/g, '$&:')) : undefined
