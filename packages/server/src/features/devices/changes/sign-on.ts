import type { Database } from '../../../db/database.ts'
import type { Viewer } from '../../../viewer.ts'
import { parseId } from '../device-id.ts'
import { findDeviceOwner } from './device-secret.queries.ts'
import { isDeviceSecret } from './device-secret.ts'

/** An authenticated device, and the viewer that it acts as. */
export interface SignedOnDevice {
  deviceId: string
  viewer: Viewer
}

/** Undefined for an unknown device or a wrong secret, in the same time. `id` is an id as stored (`parseId`). */
export async function signOnDevice(
  db: Database,
  { id, secret }: { id: string; secret: string },
): Promise<SignedOnDevice | undefined> {
  const owner = await findDeviceOwner(db, id)
  if (!isDeviceSecret(secret, owner?.secretHash) || owner === undefined) return undefined
  const { accountId, email } = owner
  return { deviceId: id, viewer: { accountId, email, readOnly: false, isDevice: true } }
}

/** The id in a user name of HTTP Basic, which cannot hold a colon (RFC 7617 §2): the id's digits alone. */
export const idOfBasicUser = (user: string): string | undefined =>
  /^[0-9a-f]{16}$/i.test(user) ? parseId(user.replace(/..(?!$)/g, '$&:')) : undefined
