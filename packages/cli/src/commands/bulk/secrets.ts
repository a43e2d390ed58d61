import type { Command } from 'commander'
import { readJob } from '../../bulk/bulk-jobs.ts'
import { saveSecrets, withNewFile } from '../../bulk/job-secrets.ts'
import { CliError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  return newClientCommand('secrets')
    .description(`Write the secrets of a job's new devices to a new file that only you can read. The server
returns the secrets only once, and only within 24 hours after the job ends.

muster bulk secrets bj_… --file secrets.csv`)
    .argument('<job>', 'ID of a job that was created with --secrets')
    .requiredOption('--file <file>', 'path of the new CSV file; required')
    .action(run)
}

async function run(id: string, { file: path, ...options }: ClientOptions & { file: string }): Promise<void> {
  const muster = await openMuster(options, 6)
  const { finished } = await readJob(muster, id)
  if (finished === null)
    throw new CliError('the job has not ended', {
      hint: `To follow the job, run: muster bulk watch ${id}`,
      exitCode: exitCodes.conflict,
    })
  await withNewFile(path, async (file) => {
    const { saved } = await saveSecrets(muster, id, file)
    if (!saved)
      throw new CliError('the server returned no secrets for this job', {
        hint: 'A job has secrets only if it registered devices and was created with --secrets. The server returns them once, within 24 hours after the job ends, to callers who have the permission DEVICE_CREATE and are not read-only.',
        exitCode: exitCodes.notFound,
      })
  })
}
