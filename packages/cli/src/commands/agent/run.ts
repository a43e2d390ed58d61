import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { newRegisteringCommand } from './new-agent-command.ts'

export function buildCommand(): Command {
  return newRegisteringCommand('run')
    .description(`Connect this machine over MQTT, stay connected, and report its listening services and configured
values when they change. If this machine is not registered, the command first registers it with the code that you pass.
Ctrl-C or SIGTERM disconnects and exits.`)
    .option(
      '--broker <url>',
      "mqtt, mqtts, ws, or wss URL of the broker (default: the broker in the configuration, else the server's WebSocket at /mqtt)",
    )
    .action(async (options: AgentOptions) => {
      const { startAgent } = await import('../../agent/replace-cli-with-agent.ts')
      process.exitCode = await startAgent(options)
    })
}
