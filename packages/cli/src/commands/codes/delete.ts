import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete registration codes. Devices that registered with these codes are not deleted.')
    .argument('<id...>', 'registration code IDs, as shown by "muster codes list"')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(ids: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Delete ${ids.length === 1 ? `the registration code ${ids[0]}` : `${ids.length} registration codes`}`, {
    yes,
  })
  await deleteEach(ids, { options, work: (id) => muster.mutations.deleteRegistrationCode({ id }) })
}
