import type { Muster } from '@muster/client'
import { findDeviceId } from '../devices/find-device.ts'

export const targetHelp = 'a device by its id, hardware id or name, a service by its id, or "me"'

/** The id of what is meant: a device, a service by its id, or the user that the key belongs to. */
export async function findTarget(muster: Muster, meant: string): Promise<string> {
  return meant === 'me' ? findUserId(muster) : findDeviceId(muster, meant)
}

export async function findUserId(muster: Muster): Promise<string> {
  const { login } = await muster.select({ login: { id: true } })
  return login?.id ?? ''
}
