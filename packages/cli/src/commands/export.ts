import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { Command } from 'commander'
import { exportDevices } from '../devices/export-devices.ts'
import { type ClientOptions, newClientCommand, prose } from '../options/new-command.ts'
import { openMuster } from '../server/open-muster.ts'
import { write } from '../terminal/process.ts'
import { formatHelp } from './format-help.ts'

interface Options extends ClientOptions {
  output?: string
  raw?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('export')
    .description(
      prose(`Write all devices with their services and attributes as CSV, in the format of "muster import". Importing
the unmodified file changes nothing. The file does not include overrides in contexts, service attributes, or states.`),
    )
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('--raw', 'write formulas unchanged; to import the file, also pass --raw')
    .addHelpText('after', formatHelp)
    .addHelpText('after', spreadsheetNote)
    .action(run)
}

const spreadsheetNote = `
The export adds an apostrophe before a cell that a spreadsheet would run as a formula, and "muster import" removes it.
Such a cell begins with =, +, -, @, a tab, or a carriage return and is not a plain number such as -5.`

async function run({ output, raw = false, json = false, ...which }: Options): Promise<void> {
  const muster = await openMuster(which, 6)
  if (output === undefined) {
    await exportDevices(muster, raw, (text) => write(process.stdout, text))
    return
  }
  const devices = await writeAtomically(output, (sink) => exportDevices(muster, raw, (text) => write(sink, text)))
  console.log(json ? JSON.stringify({ devices, file: output }) : `Exported ${devices} devices to ${output}`)
}

/** Writes to a temporary file first, so that the final file is always complete. */
async function writeAtomically(path: string, fill: (sink: WriteStream) => Promise<number>): Promise<number> {
  const partial = `${path}.partial`
  const sink = createWriteStream(partial)
  try {
    await once(sink, 'open')
    const count = await fill(sink)
    sink.end()
    await finished(sink)
    await rename(partial, path)
    return count
  } catch (error) {
    sink.destroy()
    await rm(partial, { force: true })
    throw error
  }
}
