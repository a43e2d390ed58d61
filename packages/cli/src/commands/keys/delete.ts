import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'
import { confirm } from '../../terminal/confirm.ts'
import { deleteEach } from '../delete-each.ts'

export function buildCommand(): Command {
  return newClientCommand('delete')
    .description('Delete access keys. Deleted keys become invalid within a second.')
    .argument('<key...>', 'access key IDs, as shown by "muster keys list"')
    .option('-y, --yes', 'skip the confirmation prompt')
    .action(run)
}

async function run(keys: string[], { yes, ...options }: ClientOptions & { yes?: boolean }): Promise<void> {
  const muster = await openMuster(options, 4)
  await confirm(`Delete ${keys.length === 1 ? `the access key ${keys[0]}` : `${keys.length} access keys`}`, { yes })
  await deleteEach(keys, { options, work: (key) => muster.mutations.deleteAccessKey({ key }) })
}
