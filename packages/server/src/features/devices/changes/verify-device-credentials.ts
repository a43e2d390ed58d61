import type { Database } from '../../../db/database.ts'
import type { Viewer } from '../../../viewer.ts'
import { parseId } from '../device-id.ts'
import { findDeviceOwner } from './device-secret.queries.ts'
import { isDeviceSecret } from './device-secret.ts'

export interface AuthenticatedDevice {
  deviceId: string
  viewer: Viewer
}

/**
 * Returns undefined for an unknown device, a wrong secret, a device without a secret, or a disabled account. Takes the
 * same time in each case. `id` must be in the stored form (see `parseId`).
 */
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
 * Returns the device ID for an HTTP Basic user name, or undefined for an invalid name. A user name cannot contain a
 * colon (RFC 7617 §2), so it consists only of the ID's hexadecimal digits.
 */
export const idOfBasicUser = (user: string): string | undefined =>
  /^[0-9a-f]{16}$/i.test(user) ? parseId(user.replace(/..(?!$)/g, '$&:')) : undefined
