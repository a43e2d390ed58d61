import type { FileHandle } from 'node:fs/promises'
import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type JobOptions, jobArguments, withJobOptions } from '../../bulk/bulk-options.ts'
import { saveSecrets, withNewFile } from '../../bulk/job-secrets.ts'
import { startPreviewed } from '../../bulk/start-previewed.ts'
import { createCsvJob, readCsvParts } from '../../bulk/upload-csv-parts.ts'
import { usageError } from '../../errors/cli-error.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { formatHelp } from '../format-help.ts'

export function buildCommand(): Command {
  return withJobOptions(
    newClientCommand('register')
      .description(`Register and change devices from a CSV file with a job on the server. The column id, hardwareId, or
name identifies the device of a row. If no device matches, the job registers one. Otherwise, it sets the values in the
other cells of the row. The file format is that of "muster import", except that only new devices need a name.

muster bulk register fleet.csv`)
      .argument('<file>', 'CSV file in UTF-8; - for standard input')
      .option('--secrets <file>', 'create secrets for new devices, and write them to this new CSV file')
      .addHelpText('after', formatHelp),
  ).action(run)
}

async function run(path: string, { secrets, ...options }: JobOptions & { secrets?: string }): Promise<void> {
  if (secrets !== undefined && options.detach)
    throw usageError(
      '--secrets cannot be combined with --detach',
      'Omit --detach, because the command writes the secrets after the job ends.',
    )
  const parts = await readCsvParts(path)
  const muster = await openMuster(options, 6)
  const start = async (file?: FileHandle): Promise<void> => {
    const target = { register: true, secrets: file !== undefined }
    const { id } = await createCsvJob(muster, parts, { target, operations: [], ...jobArguments(options) })
    try {
      await startPreviewed(muster, id, 'Change', options)
    } finally {
      if (file !== undefined) await saveOrExplain(muster, id, file)
    }
  }
  await (secrets === undefined ? start() : withNewFile(secrets, start))
}

async function saveOrExplain(muster: Muster, id: string, file: FileHandle): Promise<void> {
  const { state } = await saveSecrets(muster, id, file)
  if (state === 'RUNNING' || state === 'PAUSED')
    console.error(`After the job ends, write the secrets to a new file: muster bulk secrets ${id} --file FILE`)
}
