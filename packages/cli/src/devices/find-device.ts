import type { Muster } from '@muster/client'
import { CliError, usageError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'

const id = /^80(?::[0-9a-f]{2}){7}$/i

export const isId = (text: string): boolean => id.test(text)

/**
 * Finds a device by its ID, hardware ID, or name. Returns an ID without a request, even if no device has it. Throws if
 * no device has the hardware ID or name, or if several devices have the name.
 */
export async function findDeviceId(muster: Muster, nameOrId: string): Promise<string> {
  if (isId(nameOrId)) return nameOrId.toLowerCase()
  const select = { id: true, name: true } as const
  const byHardwareId = await muster.devices({ hardwareId: nameOrId, select }).first()
  if (byHardwareId !== undefined) return byHardwareId.id
  const found: string[] = []
  for await (const device of muster.devices({ name: nameOrId, select })) {
    if (device.name === nameOrId) found.push(device.id)
    if (found.length > 1) break
  }
  if (found.length > 1) {
    throw usageError(
      `several devices have the name ${JSON.stringify(nameOrId)}`,
      `Use an ID instead. To list the devices, run: muster devices list ${JSON.stringify(nameOrId)}`,
    )
  }
  if (found[0] === undefined) throw deviceNotFound(nameOrId)
  return found[0]
}

const deviceNotFound = (nameOrId: string): CliError =>
  new CliError(`no device has the ID, hardware ID, or name ${JSON.stringify(nameOrId)}`, {
    hint: 'To list all devices, run "muster devices list".',
    exitCode: exitCodes.notFound,
  })

export async function findDeviceIds(muster: Muster, namesOrIds: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const one of namesOrIds) ids.push(await findDeviceId(muster, one))
  return ids
}
