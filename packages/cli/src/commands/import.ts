import { basename } from 'node:path'
import { ignoredColumns, suspectColumns } from '@muster/fleet-csv/csv/columns'
import { FileError } from '@muster/fleet-csv/csv/file-error'
import { type DeviceFile, readDeviceFile } from '@muster/fleet-csv/csv/read-file'
import { importDevices } from '@muster/fleet-csv/import/import-devices'
import { jobNameOf } from '@muster/fleet-csv/import/run-job'
import type { Command } from 'commander'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { readInput } from '../import/read-input.ts'
import { reportJson, reportText } from '../import/report.ts'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { openMuster } from '../server/open-muster.ts'
import { onInterrupt } from '../terminal/interrupt.ts'
import { showProgress } from '../terminal/progress.ts'
import { formatHelp } from './format-help.ts'

interface Options extends ClientOptions {
  strict?: boolean
  raw?: boolean
  dryRun?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('import')
    .description(`Add and update devices from a CSV file. The command finds each row's device by hardware ID or, if
the row has no hardware ID, by a unique name. If no device matches, the command adds a device. It writes only
differences, so importing the same file again changes nothing. If a row has an error, the command
reports the row's line number and imports the other rows. If your permissions allow it, a bulk job on the server writes
the rows, and continues even if the command is killed.`)
    .argument('<file>', 'CSV file in UTF-8; - for standard input')
    .option('--strict', 'check all rows first, and write nothing if this check finds an error')
    .option('--raw', 'do not remove apostrophes before formulas, as required for files from "muster export --raw"')
    .option('--dry-run', 'check all rows and count the changes, without writing anything')
    .addHelpText('after', formatHelp)
    .action(run)
}

async function run(path: string, options: Options): Promise<void> {
  const bytes = await readInput(path)
  const file = parse(bytes, options.raw ?? false)
  warnAboutSuspectColumns(file)
  const muster = await openMuster(options, 6)
  const progress = showProgress(file.rows.length + file.problems.length, { quiet: options.json ?? false })
  const interruption = onInterrupt(() =>
    progress.note('Stopping after the current batch. Press Ctrl-C again to stop immediately.'),
  )
  try {
    const { strict = false, dryRun = false } = options
    const { signal } = interruption
    const jobName = jobNameOf(basename(path), bytes)
    const onWait = (): void => progress.note('Waiting for the job that an earlier import of this file started.')
    const onProgress = progress.update
    const outcome = await importDevices({ api: muster, file, strict, dryRun, jobName, onWait, onProgress, signal })
    progress.stop()
    const report = { outcome, path, strict, dryRun, interrupted: signal.aborted }
    process.exitCode = options.json ? reportJson(report) : reportText(report)
  } catch (error) {
    progress.stop()
    if (error !== interruption.signal.reason) throw error
    throw new CliError('interrupted before this import wrote any devices', { exitCode: exitCodes.interrupted })
  } finally {
    interruption.release()
  }
}

function parse(bytes: Buffer, isRaw: boolean): DeviceFile {
  try {
    return readDeviceFile(bytes, { isRaw })
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new CliError(error.message, { hint: error.hint })
  }
}

function warnAboutSuspectColumns({ columns }: DeviceFile): void {
  for (const name of ignoredColumns(columns)) {
    console.error(
      `note: column ${JSON.stringify(name)} is ignored, because the field is read-only; to import an attribute with this name, use the column name ${JSON.stringify(`attributes.${name}`)}`,
    )
  }
  for (const { found, meant } of suspectColumns(columns)) {
    console.error(
      `note: column ${JSON.stringify(found)} is imported as an attribute; did you mean ${JSON.stringify(meant)}?`,
    )
  }
}
