import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { BasicCredentials } from '../../../http/basic-credentials.ts'
import { type HardwareHolder, lockHardwareHolder } from './device-secret.queries.ts'
import { isDeviceSecret } from './device-secret.ts'
import { renewSecret } from './rotate-secret.ts'
import { idOfBasicUser } from './sign-on.ts'

export interface Reregistration {
  hardwareId: string
  /** The credentials that the device sent, if any. */
  credentials: BasicCredentials | undefined
  /** Id of the registration code that it sent. */
  registrationCode: string
  now: Date
}

/**
 * Gives the device with this hardware id a new secret, if it sends its current one or its owner has allowed it. Otherwise
 * CONFLICT: a hardware id alone must not take over a device. Undefined if no device of the account has the hardware id.
 * `context.db` is a transaction.
 */
export async function reregisterDevice(
  context: Pick<Context, 'db' | 'viewer'>,
  { hardwareId, credentials, registrationCode, now }: Reregistration,
): Promise<{ id: string; secret: string } | undefined> {
  const holder = await lockHardwareHolder(context.db, context.viewer.accountId, hardwareId)
  if (holder === undefined) return undefined
  if (!hasShownSecret(holder, credentials) && !isAllowed(holder, now)) throw taken(hardwareId, credentials)
  return { id: holder.id, secret: await renewSecret(context, holder, registrationCode) }
}

function hasShownSecret({ id, secretHash }: HardwareHolder, credentials: BasicCredentials | undefined): boolean {
  if (credentials === undefined) return false
  const isItsSecret = isDeviceSecret(credentials.password, secretHash)
  return isItsSecret && idOfBasicUser(credentials.user) === id
}

const isAllowed = ({ reregisterUntil }: HardwareHolder, now: Date): boolean =>
  reregisterUntil !== null && reregisterUntil > now

function taken(hardwareId: string, credentials: BasicCredentials | undefined): ApiError {
  const held = `hardwareId ${JSON.stringify(hardwareId)} is registered already`
  return credentials === undefined
    ? new ApiError(
        'CONFLICT',
        `${held}: send the device's current secret, or have its owner allow a new registration (rotateDeviceSecret)`,
      )
    : new ApiError('CONFLICT', `${held}, by a device with another id or secret`, { reason: 'wrong-secret' })
}
