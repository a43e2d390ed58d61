import type { Muster } from '@muster/client'
import { CliError, usageError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'

const id = /^80(?::[0-9a-f]{2}){7}$/i

export const isId = (text: string): boolean => id.test(text)

/**
 * Finds a device by hardware ID or name, and returns its ID. If `meant` is an ID, returns the ID without a request.
 * Throws if no device or several devices match.
 */
export async function findDeviceId(muster: Muster, meant: string): Promise<string> {
  if (isId(meant)) return meant.toLowerCase()
  const select = { id: true, name: true } as const
  const byHardwareId = await muster.devices({ hardwareId: meant, select }).first()
  if (byHardwareId !== undefined) return byHardwareId.id
  const found: string[] = []
  for await (const device of muster.devices({ name: meant, select })) {
    if (device.name === meant) found.push(device.id)
    if (found.length > 1) break
  }
  if (found.length > 1) {
    throw usageError(
      `several devices have the name ${JSON.stringify(meant)}`,
      `Use an ID instead. To list the devices, run: muster devices list ${JSON.stringify(meant)}`,
    )
  }
  if (found[0] === undefined) throw deviceNotFound(meant)
  return found[0]
}

const deviceNotFound = (meant: string): CliError =>
  new CliError(`no device has the ID, hardware ID, or name ${JSON.stringify(meant)}`, {
    hint: 'To list all devices, run "muster devices list".',
    exitCode: exitCodes.notFound,
  })

/** Returns the IDs of several devices in order. Throws if `findDeviceId` throws for one of them. */
export async function findDeviceIds(muster: Muster, meant: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const one of meant) ids.push(await findDeviceId(muster, one))
  return ids
}
