import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('remove')
    .argument('<id...>', 'service IDs, as shown by "muster services list"')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(ids: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Remove ${ids.length === 1 ? `the service ${ids[0]}` : `${ids.length} services`}`, { yes })
  await deleteEach(ids, { options, work: (id) => muster.mutations.removeService({ id }) })
}
