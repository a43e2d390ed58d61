import { usageError } from '../../errors/cli-error.ts'
import type { AgentConfig } from '../config/config.ts'
import { readTrustedCertificates } from '../connection/trusted-certificates.ts'
import { describeMachine, findServices } from '../machine/describe-machine.ts'
import { findHardwareId } from '../machine/hardware-id.ts'
import { type DeviceState, readDevice, writeDevice } from '../state/device-file.ts'
import { createStateFolder } from '../state/state-folder.ts'
import { register } from './register.ts'

export interface RegisterMachine {
  config: AgentConfig
  folder: string
  url: string
  code: string
  hardwareId?: string | undefined
  isNew?: boolean
}

/**
 * Registers this machine, and stores the registration in the state folder. `again` is true if the folder already
 * contained a registration of the same device and `isNew` is not set.
 */
export async function registerMachine(options: RegisterMachine): Promise<{ device: DeviceState; again: boolean }> {
  const { config, folder, url, code } = options
  await createStateFolder(folder)
  const kept = options.isNew ? undefined : await readDevice(folder)
  // Send a secret only to the server that issued it.
  const present = kept !== undefined && isSameServer(kept.url, url) ? kept : undefined
  const { id: hardwareId, from: hardwareIdFrom } = await hardwareIdOf(options, kept)
  const { deviceId, secret } = await register({
    url,
    code,
    hardwareId,
    ...(await describeMachine(config)),
    services: (await findServices(config)) ?? [],
    present: present?.hardwareId === hardwareId ? present : undefined,
    ca: await readTrustedCertificates(config.ca),
  })
  const device = { url, deviceId, secret, hardwareId, hardwareIdFrom, registered: new Date().toISOString() }
  await writeDevice(folder, device)
  return { device, again: kept?.deviceId === deviceId }
}

async function hardwareIdOf(
  { hardwareId }: RegisterMachine,
  kept: DeviceState | undefined,
): Promise<{ id: string; from: DeviceState['hardwareIdFrom'] }> {
  if (hardwareId !== undefined) {
    if (hardwareId.trim() === '' || Array.from(hardwareId).length > 200)
      throw usageError('a hardware ID must have 1 to 200 characters, and must not consist only of whitespace')
    return { id: hardwareId, from: 'given' }
  }
  if (kept?.hardwareIdFrom === 'given' || kept?.hardwareIdFrom === 'made-up')
    return { id: kept.hardwareId, from: kept.hardwareIdFrom }
  return findHardwareId()
}

const isSameServer = (one: string, other: string): boolean => new URL(one).href === new URL(other).href
