import { Argument, type Command } from 'commander'
import { type Shell, scripts } from '../completion/scripts.ts'
import { newCommand, prose } from '../new-command.ts'
import { write } from '../process.ts'

export function completionCommand(): Command {
  return newCommand('completion', 'print what lets a shell complete commands')
    .description(
      prose(`Prints what lets a shell complete commands, options, profiles and names of devices. For good, put the line that loads it into the
shell's start-up file:

bash: source <(muster completion bash)

zsh: source <(muster completion zsh)

fish: muster completion fish | source`),
    )
    .addArgument(new Argument('<shell>', 'which').choices(Object.keys(scripts)))
    .action((shell: Shell) => write(process.stdout, scripts[shell]))
}
