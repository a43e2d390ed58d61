import { newClientCommand } from '../../options/new-command.ts'
import { withDeletion } from '../with-deletion.ts'

export function buildCommand() {
  const command = newClientCommand('delete')
    .description('Delete registration codes. Devices that registered with these codes are not deleted.')
    .argument('<id...>', 'registration code IDs, as shown by "muster codes list"')
  return withDeletion(command, {
    noun: 'registration code',
    work: (muster, id) => muster.mutations.deleteRegistrationCode({ id }),
  })
}
