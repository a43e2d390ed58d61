import { Argument, type Command } from 'commander'
import { type Shell, scripts } from '../completion/scripts.ts'
import { newCommand } from '../options/new-command.ts'
import { write } from '../terminal/standard-output.ts'

export function buildCommand(): Command {
  return newCommand('completion')
    .description(`Print a shell script that completes commands, options, profiles, and device names. To enable
completion permanently, add the line for your shell to its startup file:

bash: source <(muster completion bash)

zsh: source <(muster completion zsh)

fish: muster completion fish | source`)
    .addArgument(new Argument('<shell>', 'shell name').choices(Object.keys(scripts)))
    .action((shell: Shell) => write(scripts[shell](process.argv[1]!)))
}
