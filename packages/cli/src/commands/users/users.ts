import { Command } from 'commander'
import { addCommand } from './add.ts'

export function usersCommand(): Command {
  return new Command('users')
    .summary('add users')
    .description('Users of this installation.')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .addCommand(addCommand())
}
