import type { Muster } from '@muster/client'
import { findDeviceId } from '../devices/find-device.ts'

export const targetHelp = 'device (ID, hardware ID, or name), service ID, or "me" for your account'

export async function findTarget(muster: Muster, nameOrId: string): Promise<string> {
  return nameOrId === 'me' ? findUserId(muster) : findDeviceId(muster, nameOrId)
}

export async function findUserId(muster: Muster): Promise<string> {
  const { login } = await muster.select({ login: { id: true } })
  return login?.id ?? ''
}
