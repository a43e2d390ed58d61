import type { Context } from '../../../context.ts'
import { recordEvents } from '../../events/record.ts'
import { cutOffDevices } from './cut-off.queries.ts'
import { getDeviceLocked } from './device-changes.ts'
import { replaceSecret } from './device-secret.queries.ts'
import { hashDeviceSecret, newDeviceSecret } from './device-secret.ts'

/** How long a device can register itself again after its owner has allowed it. */
const ALLOWED_FOR_MS = 3_600_000

/**
 * Ends the device's secret and with it the device's connections. It gets a new one, or with `allow` none: then it may
 * register itself again, once, within an hour.
 */
export async function rotateDeviceSecret(
  context: Context,
  deviceId: string,
  { allow }: { allow: boolean },
): Promise<{ id: string; secret: string | null }> {
  return context.db.transaction().execute(async (transaction) => {
    const device = await getDeviceLocked(transaction, context, deviceId)
    const until = allow ? new Date(context.clock().getTime() + ALLOWED_FOR_MS) : null
    return { id: device.id, secret: await giveNewSecret({ ...context, db: transaction }, device, { until }) }
  })
}

/** Gives a new secret to a locked device that registers itself again, and revokes the permission to do so. */
export const renewSecret = async (
  context: Pick<Context, 'db' | 'viewer'>,
  device: { id: string; name: string },
  registrationCode: string,
): Promise<string> => (await giveNewSecret(context, device, { until: null, registrationCode }))!

async function giveNewSecret(
  context: Pick<Context, 'db' | 'viewer'>,
  { id, name }: { id: string; name: string },
  { until, registrationCode }: { until: Date | null; registrationCode?: string },
): Promise<string | null> {
  const { db, viewer } = context
  const allow = until !== null
  const secret = allow ? null : newDeviceSecret()
  const hash = secret === null ? null : hashDeviceSecret(secret)
  await replaceSecret(db, viewer.accountId, { id, hash, reregisterUntil: until })
  await recordEvents(db, context, [
    {
      type: 'DEVICE_SECRET_ROTATE',
      deviceId: id,
      targets: [{ id, name, kind: 'device' }],
      data: { allow, registrationCode },
    },
  ])
  await cutOffDevices(db, [id])
  return secret
}
