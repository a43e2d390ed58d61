import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { prose } from '../../options/new-command.ts'
import { newRegisteringCommand } from './new-agent-command.ts'

export function buildCommand(): Command {
  return newRegisteringCommand('run')
    .description(
      prose(`Connects this machine over MQTT and stays connected. Reports changes of listening services and of the values in the
configuration. Registers the machine first if it is not registered and you pass a code. Ctrl-C or SIGTERM disconnects and
exits.`),
    )
    .option('--broker <url>', "mqtt, mqtts, ws, or wss URL (default: WebSocket at the server's /mqtt)")
    .action(async (options: AgentOptions) => {
      const { startAgent } = await import('../../agent/start.ts')
      process.exitCode = await startAgent(options)
    })
}
