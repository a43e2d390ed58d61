import type { Muster } from '@muster/client'
import { NewNameError, exportDevices as writeDevices } from '@muster/fleet-csv/export-devices'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { download } from '../server/download.ts'

interface Export {
  where: string | undefined
  context: string | undefined
  write: (text: string) => Promise<void>
}

export async function exportDevices(
  muster: Muster,
  { where, context, isRaw, write }: Export & { isRaw: boolean },
): Promise<number> {
  try {
    return await writeDevices(muster, { isRaw, write, lists: [{ where, context }] })
  } catch (error) {
    if (error instanceof NewNameError) throw new CliError(error.message, { hint: 'Run the export again.' })
    throw error
  }
}

export async function exportView(
  muster: Muster,
  { where, context, view, write }: Export & { view: string },
): Promise<number> {
  const { login } = await muster.select({ login: { devicesUrl: { $: { view, where, context } } } })
  const decoder = new TextDecoder()
  const counter = createRowCounter()
  for await (const part of download(login!.devicesUrl, failed)) {
    const text = decoder.decode(part, { stream: true })
    counter.add(text)
    await write(text)
  }
  // If the file ends within a character, write the replacement character.
  await write(decoder.decode())
  // Do not count the header row as a device.
  return counter.rows - 1
}

const failed = (reason: string): CliError =>
  new CliError(`the download failed: ${reason}`, { hint: 'Run the export again.', exitCode: exitCodes.notNow })

/** Counts the rows in a CSV file. A quoted cell can contain line breaks. */
function createRowCounter() {
  let isQuoted = false
  let rows = 0
  return {
    get rows() {
      return rows
    },
    add(text: string): void {
      for (const character of text) {
        if (character === '"') isQuoted = !isQuoted
        else if (character === '\n' && !isQuoted) rows++
      }
    },
  }
}
