import { join } from 'node:path'
import type { HardwareId } from '../machine/hardware-id.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

export interface DeviceState {
  url: string
  deviceId: string
  secret: string
  hardwareId: string
  /** Origin of the hardware ID. `given` means that the operator set the ID at registration. */
  hardwareIdFrom: HardwareId['from'] | 'given'
  registered: string
}

const fields = ['url', 'deviceId', 'secret', 'hardwareId', 'hardwareIdFrom', 'registered'] as const

const fileIn = (folder: string): string => join(folder, 'device.json')

export const readDevice = (folder: string): Promise<DeviceState | undefined> =>
  readJsonFile(fileIn(folder), (json) => {
    const values = json as Record<string, unknown> | null
    const isValid = typeof values === 'object' && fields.every((field) => typeof values?.[field] === 'string')
    return isValid ? (values as unknown as DeviceState) : undefined
  })

export const writeDevice = (folder: string, device: DeviceState): Promise<void> => writeJsonFile(fileIn(folder), device)
