import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { BasicCredentials } from '../../../http/basic-credentials.ts'
import { lockHardwareHolder, type RegisteredHardware } from './device-secret.queries.ts'
import { isDeviceSecret } from './device-secret.ts'
import { renewSecret } from './rotate-secret.ts'
import { idOfBasicUser } from './verify-device-credentials.ts'

export interface Reregistration {
  hardwareId: string
  credentials: BasicCredentials | undefined
  registrationCode: string
  now: Date
}

/**
 * Replaces the secret of the device with this hardware ID, or returns undefined if the account has no such device. The
 * device must send its ID and current secret, or its owner must have allowed a new registration. Otherwise, throws
 * CONFLICT, because a caller must not be able to take over a device by its hardware ID alone. `context.db` must be a
 * transaction.
 */
export async function reregisterDevice(
  context: Pick<Context, 'db' | 'viewer'>,
  { hardwareId, credentials, registrationCode, now }: Reregistration,
): Promise<{ id: string; secret: string } | undefined> {
  const registered = await lockHardwareHolder(context.db, context.viewer.accountId, hardwareId)
  if (registered === undefined) return undefined
  if (!sentValidSecret(registered, credentials) && !isAllowed(registered, now)) throw conflict(hardwareId, credentials)
  return { id: registered.id, secret: await renewSecret(context, registered, registrationCode) }
}

function sentValidSecret({ id, secretHash }: RegisteredHardware, credentials: BasicCredentials | undefined): boolean {
  if (credentials === undefined) return false
  const isCurrentSecret = isDeviceSecret(credentials.password, secretHash)
  return isCurrentSecret && idOfBasicUser(credentials.user) === id
}

const isAllowed = ({ reregisterUntil }: RegisteredHardware, now: Date): boolean =>
  reregisterUntil !== null && reregisterUntil > now

function conflict(hardwareId: string, credentials: BasicCredentials | undefined): ApiError {
  const problem = `hardwareId ${JSON.stringify(hardwareId)} is already registered`
  return credentials === undefined
    ? new ApiError(
        'CONFLICT',
        `${problem}: send the device's ID and current secret, or have its owner allow a new registration (rotateDeviceSecret with allow: true)`,
      )
    : new ApiError(
        'CONFLICT',
        `${problem} by a device with a different ID or secret: send its ID and current secret, or have its owner allow a new registration (rotateDeviceSecret with allow: true)`,
        { reason: 'wrong-secret' },
      )
}
