import { hostname } from 'node:os'
import { CliError, exitCodes } from '../../cli-error.ts'
import type { AgentConfig } from '../config/config.ts'
import { detectServices, type RunningService, unclearInodes } from '../services/detect.ts'
import { findListening } from '../services/listening.ts'
import { createPrograms, type Programs } from '../services/programs.ts'
import type { DeviceState } from '../state/device-file.ts'
import { findHardwareId } from './hardware-id.ts'
import { findPlatform } from './platform.ts'

/** What this machine is called, by its configuration or by itself. */
export async function describeMachine({ name, platform }: AgentConfig): Promise<{ name: string; platform: string }> {
  return { name: name ?? hostname(), platform: platform ?? (await findPlatform()) }
}

/** The services that listen now; undefined where the system does not tell. */
export async function findServices(
  { services }: AgentConfig,
  programs: Programs = createPrograms(),
): Promise<RunningService[] | undefined> {
  const sockets = await findListening()
  if (sockets === undefined) return undefined
  return detectServices(sockets, services, programs.namesOf(unclearInodes(sockets, services)))
}

/** Refuses to be a device that another machine is: a disk was copied, and the two would take turns for ever. */
export async function assertSameMachine(device: DeviceState): Promise<void> {
  const { id, from } = await findHardwareId()
  if (from === 'made-up' || from !== device.hardwareIdFrom || id === device.hardwareId) return
  throw new CliError(`this machine is not the one that was registered as ${device.deviceId}`, {
    hint: 'Its disk seems to be a copy. Make it a device of its own: muster agent register --new --code CODE',
    exitCode: exitCodes.usage,
  })
}
