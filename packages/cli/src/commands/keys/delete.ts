import { newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

export function buildCommand() {
  const command = newClientCommand('delete')
    .description('Delete access keys. Deleted keys become invalid within a second.')
    .argument('<key...>', 'access key IDs, as shown by "muster keys list"')
  return withDeletion(command, { noun: 'access key', work: (muster, key) => muster.mutations.deleteAccessKey({ key }) })
}
