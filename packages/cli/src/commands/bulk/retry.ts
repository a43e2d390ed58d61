import type { Command } from 'commander'
import { upperNames } from '../../bulk/bulk-jobs.ts'
import { type StartOptions, startPreviewed, withStartOptions } from '../../bulk/start-previewed.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { namesWithCommas } from '../../options/option-values.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends StartOptions {
  status?: string[]
}

export function buildCommand(): Command {
  const command = newClientCommand('retry')
    .description(`Create a job that repeats an earlier job for the devices that failed. The earlier job must be ready or
paused, or must have ended. To include skipped devices, pass --status.

muster bulk retry bj_… --status failed,skipped`)
    .argument('<job>', 'ID of the job')
    .option(
      '--status <statuses>',
      'statuses of the devices to retry, comma-separated: failed, skipped, or both (default: failed)',
      namesWithCommas,
    )
  return withStartOptions(command).action(run)
}

async function run(given: string, { status, ...options }: Options): Promise<void> {
  const statuses = upperNames(status, ['FAILED', 'SKIPPED'] as const, '--status')
  const muster = await openMuster(options, 6)
  const { id } = await muster.mutations.retryBulk({ id: given, statuses })
  await startPreviewed(muster, id, 'Change', options)
}
