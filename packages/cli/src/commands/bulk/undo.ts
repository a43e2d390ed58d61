import type { Command } from 'commander'
import { startPreviewed } from '../../bulk/change-in-bulk.ts'
import { type ClientOptions, newClientCommand, prose } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'

interface Options extends ClientOptions {
  dryRun?: boolean
  yes?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('undo')
    .description(prose(`Revert a job's changes. Values that have changed since then remain.`))
    .argument('<job>', 'ID of the job')
    .option('--dry-run', 'only show the preview, and cancel the job')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(given: string, options: Options): Promise<void> {
  const muster = await openMuster(options, 6)
  const { id } = await muster.mutations.undoBulk({ id: given })
  await startPreviewed(muster, id, 'Revert', options)
}
