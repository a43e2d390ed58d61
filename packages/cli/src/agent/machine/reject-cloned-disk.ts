import { usageError } from '../../errors/cli-error.ts'
import type { DeviceState } from '../state/device-file.ts'
import { findHardwareId } from './hardware-id.ts'

/**
 * Throws if the registration is another machine's, because two machines with copies of the same disk would repeatedly
 * disconnect each other. Detects another machine only by a different hardware ID from the same source (machine ID or
 * product UUID).
 */
export async function assertSameMachine(device: DeviceState): Promise<void> {
  const { id, from } = await findHardwareId()
  if (from === 'made-up' || from !== device.hardwareIdFrom || id === device.hardwareId) return
  throw usageError(
    `the hardware ID of this machine is not that of the registered device ${device.deviceId}`,
    `The disk of this machine is a copy, or the machine ID or product UUID has changed. Register this machine as a new device: muster agent register --new --url ${device.url} --code CODE`,
  )
}
