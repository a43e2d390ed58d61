import { Command } from 'commander'
import { checkCommand } from './check.ts'
import { installCommand } from './install.ts'
import { registerCommand } from './register.ts'
import { runCommand } from './run.ts'
import { statusCommand } from './status.ts'
import { uninstallCommand } from './uninstall.ts'

export function agentCommand(): Command {
  return new Command('agent')
    .summary('make this machine a device')
    .description('Makes the machine that it runs on a device: signed on, with its services and what it measures.')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .addCommand(registerCommand())
    .addCommand(runCommand())
    .addCommand(statusCommand())
    .addCommand(checkCommand())
    .addCommand(installCommand())
    .addCommand(uninstallCommand())
}
