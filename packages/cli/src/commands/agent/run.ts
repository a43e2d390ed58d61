import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { prose } from '../../new-command.ts'
import { newRegisteringCommand } from './new-agent-command.ts'

export function runCommand(): Command {
  return newRegisteringCommand('run', "be this machine's device until stopped")
    .description(
      prose(`Signs this machine on over MQTT and stays: services that listen, and what the configuration says, are reported as they
change. Registers it first where that is still to be done and there is a code. Ctrl-C or SIGTERM signs off and ends it.`),
    )
    .option('--broker <url>', "mqtt, mqtts, ws or wss URL (default: WebSocket at the server's /mqtt)")
    .action(async (options: AgentOptions) => {
      const { startAgent } = await import('../../agent/start.ts')
      process.exitCode = await startAgent(options)
    })
}
