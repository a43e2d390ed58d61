import type { Muster } from '@muster/client'
import { CliError, exitCodes, usageError } from '../cli-error.ts'

const id = /^80(?::[0-9a-f]{2}){7}$/i

export const isId = (text: string): boolean => id.test(text)

/** The id of the device that is meant by its id, its hardware id or its whole name. An id is taken as it is. */
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
      `several devices are called ${JSON.stringify(meant)}`,
      `Name one by its id: muster devices list ${JSON.stringify(meant)}`,
    )
  }
  if (found[0] === undefined) throw noSuchDevice(meant)
  return found[0]
}

export const noSuchDevice = (meant: string): CliError =>
  new CliError(`no device has the id, the hardware id or the name ${JSON.stringify(meant)}`, {
    hint: '"muster devices list" shows those that are there.',
    exitCode: exitCodes.notFound,
  })

/** `findDeviceId` for several, in their order; nothing is begun before all of them are found. */
export async function findDeviceIds(muster: Muster, meant: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const one of meant) ids.push(await findDeviceId(muster, one))
  return ids
}
