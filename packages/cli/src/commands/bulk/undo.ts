import type { Command } from 'commander'
import { assertComplete, waitForJob } from '../../bulk/bulk-jobs.ts'
import { type ClientOptions, newClientCommand, prose } from '../../options/new-command.ts'
import { printJson, say } from '../../output/print-one.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'

interface Options extends ClientOptions {
  yes?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('undo')
    .description(prose(`Revert the changes of a job. Values that have changed since then remain.`))
    .argument('<job>', 'ID of the job')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(given: string, { yes, ...options }: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const { id } = await muster.mutations.undoBulk({ id: given })
  const job = await waitForJob(muster, id, { states: ['READY'] })
  if (job.state !== 'READY') return assertComplete(job)
  const { change } = job.counts
  if (change > 0) await confirm(`Revert ${change === 1 ? '1 device' : `${change} devices`}`, { yes })
  await muster.mutations.startBulk({ id, token: job.token!, expected: change })
  const last = await waitForJob(muster, id)
  if (options.json) await printJson(last)
  else
    await say(
      `${last.state}: ${last.counts.done} done, ${last.counts.failed} failed, ${last.counts.skipped} skipped (${id})`,
    )
  assertComplete(last)
}
