import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { suspectColumns } from '@muster/fleet-csv/csv/columns'
import { FileError } from '@muster/fleet-csv/csv/file-error'
import { type DeviceFile, readDeviceFile } from '@muster/fleet-csv/csv/read-file'
import { importDevices } from '@muster/fleet-csv/import/import-devices'
import type { Command } from 'commander'
import { CliError, exitCodes } from '../cli-error.ts'
import { reportJson, reportText } from '../import/report.ts'
import { type ClientOptions, newClientCommand, prose } from '../new-command.ts'
import { openMuster } from '../open-muster.ts'
import { onInterrupt } from '../process.ts'
import { showProgress } from '../progress.ts'
import { formatHelp } from './format-help.ts'

interface Options extends ClientOptions {
  strict?: boolean
  raw?: boolean
  dryRun?: boolean
}

export function importCommand(): Command {
  return newClientCommand('import', 'add and update devices from a CSV file')
    .description(
      prose(`Adds and updates devices from a CSV file. A row's device is found by hardware id, or by name where the row has none and
the name is unique; where none is found, it is added. What is as the row says already is left alone, so that a second import
changes nothing. A row that is wrong is reported with its line, and the others go in.`),
    )
    .argument('<file>', 'CSV file in UTF-8; - for standard input')
    .option('--strict', 'check every row before the first is written, and write nothing if one is wrong')
    .option('--raw', 'take values as they are; without it, the apostrophe that export puts before formulas is removed')
    .option('--dry-run', 'check everything, say what would change, and write nothing')
    .addHelpText('after', formatHelp)
    .action(run)
}

async function run(path: string, options: Options): Promise<void> {
  const file = parse(await read(path), options.raw ?? false)
  warnOfSuspectColumns(file)
  const muster = await openMuster(options, 6)
  const progress = showProgress(file.rows.length + file.problems.length, { quiet: options.json ?? false })
  const interruption = onInterrupt(() =>
    progress.note('Stopping once the running requests are answered; Ctrl-C again stops at once.'),
  )
  try {
    const { strict = false, dryRun = false } = options
    const { signal } = interruption
    const outcome = await importDevices({ api: muster, file, strict, dryRun, onProgress: progress.update, signal })
    progress.stop()
    const report = { outcome, path, strict, dryRun, interrupted: signal.aborted }
    process.exitCode = options.json ? reportJson(report) : reportText(report)
  } catch (error) {
    progress.stop()
    if (!interruption.signal.aborted) throw error
    throw new CliError('interrupted before anything was written', { exitCode: exitCodes.interrupted })
  } finally {
    interruption.release()
  }
}

async function read(path: string): Promise<Buffer> {
  if (path === '-') return buffer(process.stdin)
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `${path} cannot be read: ${error.message}`,
      error.code === 'ENOENT' ? { exitCode: exitCodes.usage } : {},
    )
  })
}

function parse(bytes: Buffer, isRaw: boolean): DeviceFile {
  try {
    return readDeviceFile(bytes, { isRaw })
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new CliError(error.message, error.hint === undefined ? {} : { hint: error.hint })
  }
}

function warnOfSuspectColumns({ columns }: DeviceFile): void {
  for (const { found, meant } of suspectColumns(columns)) {
    console.error(
      `note: column ${JSON.stringify(found)} is taken as an attribute; the fixed column is called ${JSON.stringify(meant)}`,
    )
  }
}
