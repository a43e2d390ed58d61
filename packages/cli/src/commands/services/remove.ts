import { newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

export function buildCommand() {
  const command = newClientCommand('remove').argument('<id...>', 'service IDs, as shown by "muster services list"')
  return withDeletion(command, {
    noun: 'service',
    verb: 'Remove',
    work: (muster, id) => muster.mutations.removeService({ id }),
  })
}
