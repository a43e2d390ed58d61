import type { Command } from 'commander'
import { assertComplete, jobColumns, jobContinues, waitForJob } from '../../bulk/bulk-jobs.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { printJson, printOne } from '../../output/print-result.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  return newClientCommand('watch')
    .description('Show the progress of a job while the server previews or runs it. Then print the job.')
    .argument('<job>', 'ID of the job')
    .action(run)
}

async function run(id: string, options: ClientOptions): Promise<void> {
  const muster = await openMuster(options, 4)
  const job = await waitForJob(muster, id, { json: options.json, interrupted: jobContinues(id) })
  await (options.json ? printJson(job) : printOne(job, jobColumns))
  if (job.state !== 'READY' && job.state !== 'DRAFT') assertComplete(job)
}
