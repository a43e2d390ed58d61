import type { Context } from '../../../context.ts'
import { recordEvents } from '../../events/record.ts'
import { getDeviceLocked } from './device-changes.ts'
import { replaceSecret } from './device-secret.queries.ts'
import { hashDeviceSecret, newDeviceSecret } from './device-secret.ts'
import { cutOffDevices } from './send-recheck-notifications.queries.ts'

/** How long, in milliseconds, a device can register itself again after its owner allows this. */
const ALLOWED_FOR_MS = 3_600_000

/**
 * Makes the current secret invalid. Without `allow`, returns a new secret. With `allow`, the returned secret is null,
 * and the device can register itself again once, within one hour.
 */
export async function rotateDeviceSecret(
  context: Context,
  deviceId: string,
  { allow }: { allow: boolean },
): Promise<{ id: string; secret: string | null }> {
  return context.db.transaction().execute(async (transaction) => {
    const device = await getDeviceLocked(transaction, context, deviceId)
    const until = allow ? new Date(context.clock().getTime() + ALLOWED_FOR_MS) : null
    return { id: device.id, secret: await setSecret({ ...context, db: transaction }, device, { until }) }
  })
}

/**
 * Replaces the secret of a locked device that registers again. If the owner had allowed a new registration, revokes the
 * permission.
 */
export const renewSecret = async (
  context: Pick<Context, 'db' | 'viewer'>,
  device: { id: string; name: string },
  registrationCode: string,
): Promise<string> => (await setSecret(context, device, { until: null, registrationCode }))!

async function setSecret(
  context: Pick<Context, 'db' | 'viewer'>,
  { id, name }: { id: string; name: string },
  { until, registrationCode }: { until: Date | null; registrationCode?: string },
): Promise<string | null> {
  const { db, viewer } = context
  const allow = until !== null
  const secret = allow ? null : newDeviceSecret()
  const hash = secret === null ? null : hashDeviceSecret(secret)
  await replaceSecret(db, viewer.accountId, { id, hash, reregisterUntil: until })
  const targets = [{ id, name, kind: 'device' as const }]
  const data = { allow, registrationCode }
  await recordEvents(db, context, [{ type: 'DEVICE_SECRET_ROTATE', deviceId: id, targets, data }])
  await cutOffDevices(db, [id])
  return secret
}
