import type { Command } from 'commander'
import { newCommand } from '../../options/new-command.ts'

export function newAgentCommand(name: string): Command {
  return newCommand(name)
    .option(
      '--config <file>',
      'configuration file (default: MUSTER_AGENT_CONFIG, else /etc/muster/agent.ini, else ~/.config/muster/agent.ini)',
    )
    .option(
      '--state <folder>',
      'folder for the device ID and secret (default: MUSTER_AGENT_STATE, else /var/lib/muster-agent as root or under systemd, else muster-agent in XDG_STATE_HOME or ~/.local/state)',
    )
}

export const newRegisteringCommand = (name: string): Command => withRegistration(newAgentCommand(name))

export const withRegistration = (command: Command): Command =>
  command
    .option('--url <url>', 'server URL (default: MUSTER_URL, else the URL in the configuration)')
    .option('--code <code>', 'registration code (default: MUSTER_CODE, which other users on this machine cannot see)')
