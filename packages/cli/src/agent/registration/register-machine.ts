import { CliError, exitCodes } from '../../cli-error.ts'
import type { AgentConfig } from '../config/config.ts'
import { trustedCertificates } from '../connection/trusted.ts'
import { findHardwareId } from '../machine/hardware-id.ts'
import { describeMachine, findServices } from '../machine/this-machine.ts'
import { type DeviceState, readDevice, writeDevice } from '../state/device-file.ts'
import { makeStateFolder } from '../state/state-folder.ts'
import { register } from './register.ts'

export interface RegisterMachine {
  config: AgentConfig
  folder: string
  url: string
  code: string
  /** Named by whoever registers it. */
  hardwareId?: string | undefined
  /** Forgets the device that it was. */
  isNew?: boolean
}

/** Registers this machine and keeps what it signs on with. `again`: it was this device before. */
export async function registerMachine(options: RegisterMachine): Promise<{ device: DeviceState; again: boolean }> {
  const { config, folder, url, code } = options
  await makeStateFolder(folder)
  const kept = options.isNew ? undefined : await readDevice(folder)
  // A secret is shown to the server that gave it, and to no other.
  const present = kept !== undefined && isSameServer(kept.url, url) ? kept : undefined
  const { id: hardwareId, from: hardwareIdFrom } = await hardwareIdOf(options, kept)
  const { deviceId, secret } = await register({
    url,
    code,
    hardwareId,
    ...(await describeMachine(config)),
    services: (await findServices(config)) ?? [],
    present: present?.hardwareId === hardwareId ? present : undefined,
    ca: await trustedCertificates(config.ca),
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
      throw new CliError('a hardware id has 1 to 200 characters', { exitCode: exitCodes.usage })
    return { id: hardwareId, from: 'given' }
  }
  if (kept?.hardwareIdFrom === 'given' || kept?.hardwareIdFrom === 'made-up')
    return { id: kept.hardwareId, from: kept.hardwareIdFrom }
  return findHardwareId()
}

const isSameServer = (one: string, other: string): boolean => new URL(one).href === new URL(other).href
