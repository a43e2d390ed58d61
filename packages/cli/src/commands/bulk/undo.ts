import type { Command } from 'commander'
import { withRate } from '../../bulk/bulk-options.ts'
import { type StartOptions, startPreviewed, withStartOptions } from '../../bulk/start-previewed.ts'
import { newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  const command = newClientCommand('undo')
    .description(`Revert the changes of a job that has ended, and delete the devices that the job registered. The
command does not revert values or services that have changed since the job ran, and does not delete devices that have
connected or changed since then. You cannot undo a job that deletes devices.`)
    .argument('<job>', 'ID of the job')
  return withStartOptions(withRate(command)).action(run)
}

async function run(given: string, { rate, ...options }: StartOptions & { rate?: number }): Promise<void> {
  const muster = await openMuster(options, 6)
  const { id } = await muster.mutations.undoBulk({ id: given, rate })
  await startPreviewed(muster, id, 'Revert', options)
}
