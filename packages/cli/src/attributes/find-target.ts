import type { Muster } from '@muster/client'
import { findDeviceId } from '../devices/find-device.ts'

export const targetHelp = 'a device by id, hardware id, or name; a service by id; or "me"'

/** The id of a target: a device, a service by its id, or the user of the access key (`me`). */
export async function findTarget(muster: Muster, meant: string): Promise<string> {
  return meant === 'me' ? findUserId(muster) : findDeviceId(muster, meant)
}

export async function findUserId(muster: Muster): Promise<string> {
  const { login } = await muster.select({ login: { id: true } })
  return login?.id ?? ''
}
