import type { Muster } from '@muster/client'
import { NewNameError, exportDevices as writeDevices } from '@muster/fleet-csv/export-devices'
import { CliError } from '../errors/cli-error.ts'

/** Writes every device as CSV and returns the number of devices. */
export async function exportDevices(
  muster: Muster,
  isRaw: boolean,
  write: (text: string) => Promise<void>,
): Promise<number> {
  try {
    return await writeDevices(muster, { isRaw, write })
  } catch (error) {
    if (error instanceof NewNameError) throw new CliError(error.message, { hint: 'Export again.' })
    throw error
  }
}
