import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Muster } from '@muster/client'
import type { Command } from 'commander'
import { type JobOptions, jobArguments, withJobOptions } from '../../bulk/change-in-bulk.ts'
import { createCsvJob, readCsvParts } from '../../bulk/csv-job.ts'
import { startPreviewed } from '../../bulk/start-previewed.ts'
import { CliError, usageError } from '../../errors/cli-error.ts'
import { newClientCommand, prose } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { formatHelp } from '../format-help.ts'

export function buildCommand(): Command {
  return withJobOptions(
    newClientCommand('register')
      .description(
        prose(`Register devices from a CSV file with a job on the server. A column id, hardwareId, or name identifies
the device of a row. If no device matches, the row registers one. Otherwise, the row's other cells are values to set.

muster bulk register fleet.csv`),
      )
      .argument('<file>', 'CSV file in UTF-8; - for standard input')
      .option('--secrets <file>', 'create secrets for new devices, and write them to this new file')
      .addHelpText('after', formatHelp),
  ).action(run)
}

async function run(path: string, { secrets, ...options }: JobOptions & { secrets?: string }): Promise<void> {
  if (secrets !== undefined && options.detach)
    throw usageError('--secrets requires the command to wait for the job', 'Omit --detach.')
  const parts = await readCsvParts(path)
  const muster = await openMuster(options, 6)
  const start = async (file?: FileHandle): Promise<void> => {
    const target = { register: true, secrets: file !== undefined }
    const { id } = await createCsvJob(muster, parts, { target, operations: [], ...jobArguments(options) })
    try {
      await startPreviewed(muster, id, 'Change', options)
    } finally {
      if (file !== undefined) await saveSecrets(muster, id, file)
    }
  }
  await (secrets === undefined ? start() : withNewFile(secrets, start))
}

/**
 * Creates the file before the job, because the server returns the secrets only once. Removes the file if nothing was
 * written to it.
 */
async function withNewFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const exists = error.code === 'EEXIST'
    throw usageError(`cannot create ${path}: ${exists ? 'it exists' : error.message}`, 'Pass the path of a new file.')
  })
  try {
    await use(file)
  } finally {
    const { size } = await file.stat()
    await file.close()
    if (size === 0) await rm(path)
  }
}

async function saveSecrets(muster: Muster, id: string, file: FileHandle): Promise<void> {
  const { login } = await muster.select({ login: { bulkJob: { $: { id: [id] }, secretsUrl: true } } })
  const url = login?.bulkJob[0]?.secretsUrl
  if (url != null) {
    const response = await fetch(url)
    if (!response.ok) throw new CliError(`the secrets could not be downloaded: status ${response.status}`)
    await file.writeFile(await response.text())
  }
}
