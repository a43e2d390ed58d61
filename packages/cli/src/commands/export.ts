import { open, rename, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { exportDevices, exportView } from '../devices/export-devices.ts'
import { joinFilters, whereHelp, whereOption } from '../devices/where.ts'
import { CliError, usageError } from '../errors/cli-error.ts'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { counted } from '../output/counted.ts'
import { openMuster } from '../server/open-muster.ts'
import { write } from '../terminal/standard-output.ts'
import { findView } from '../views/views.ts'
import { formatHelp } from './format-help.ts'

interface Options extends ClientOptions {
  output?: string
  raw?: boolean
  where?: string[]
  view?: string
  context?: string
}

export function buildCommand(): Command {
  return newClientCommand('export')
    .description(`Write devices with their services and attributes as CSV, in the format of "muster import". Importing
the unmodified file changes nothing. The file does not include overrides in contexts, service attributes, or states.
With --view, the file instead has the columns, the column headings, and the order of the view, and the values in its
context. You cannot import such a file unmodified.`)
    .addOption(whereOption('export devices'))
    .option('--view <view>', 'export the devices of a saved view (ID or name)')
    .option('--context <name>', 'context in which --where and --view read attributes (default: the context of --view)')
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option(
      '--raw',
      'do not add an apostrophe before values that a spreadsheet would run as formulas; to import the file, pass --raw to "muster import"',
    )
    .addHelpText('after', whereHelp)
    .addHelpText('after', formatHelp)
    .addHelpText('after', spreadsheetNote)
    .action(run)
}

const spreadsheetNote = `
The export adds an apostrophe before a cell that a spreadsheet would run as a formula, and "muster import" removes
the apostrophe. Such a cell begins with =, +, -, @, a full-width form of one of these signs, a tab, or a carriage
return, and is not a plain number such as -5.`

async function run({ output, raw = false, json = false, where = [], view, context, ...which }: Options): Promise<void> {
  const filter = joinFilters(where)
  if (view !== undefined && raw) throw usageError('--raw cannot be combined with --view', 'Omit one of them.')
  const muster = await openMuster(which, 6)
  const viewId = view === undefined ? undefined : (await findView(muster, view)).id
  const exportTo = (write: (text: string) => Promise<void>): Promise<number> =>
    viewId === undefined
      ? exportDevices(muster, { where: filter, context, isRaw: raw, write })
      : exportView(muster, { where: filter, context, view: viewId, write })
  if (output === undefined) {
    await exportTo(write)
    return
  }
  const devices = await writeAtomically(output, exportTo)
  console.log(json ? JSON.stringify({ devices, file: output }) : `Exported ${counted(devices, 'device')} to ${output}`)
}

async function writeAtomically(
  path: string,
  fill: (write: (text: string) => Promise<void>) => Promise<number>,
): Promise<number> {
  const partial = `${path}.partial`
  const file = await open(partial, 'w')
  try {
    const count = await fill((text) =>
      file.appendFile(text).catch((error: Error) => {
        throw new CliError(`cannot write ${partial}: ${error.message}`)
      }),
    )
    await file.close()
    await rename(partial, path)
    return count
  } catch (error) {
    await file.close()
    await rm(partial, { force: true })
    throw error
  }
}
