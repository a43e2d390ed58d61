import type { Command } from 'commander'
import { newCommand } from '../../new-command.ts'

/** A command of the agent, with the options that all of them have. */
export function newAgentCommand(name: string, summary: string): Command {
  return newCommand(name, summary)
    .option('--config <file>', 'what to report (default: /etc/muster/agent.ini, else ~/.config/muster/agent.ini)')
    .option(
      '--state <folder>',
      'where the agent keeps the device id and secret (default: /var/lib/muster-agent as root)',
    )
}

/** `newAgentCommand` for what may register this machine. */
export const newRegisteringCommand = (name: string, summary: string): Command =>
  withRegistration(newAgentCommand(name, summary))

export const withRegistration = (command: Command): Command =>
  command
    .option('--url <url>', 'the server (default: MUSTER_URL, else the configuration)')
    .option('--code <code>', 'registration code (default: MUSTER_CODE, which other users of this machine do not see)')
