import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { CliError } from '../../errors/cli-error.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { newAgentCommand } from './new-agent-command.ts'

export function buildCommand(): Command {
  return newAgentCommand('status')
    .description(
      "Show this machine's device and the agent's status. The command exits with code 1 unless the agent is connected.",
    )
    .action(run)
}

async function run(options: AgentOptions): Promise<void> {
  const [{ readDevice }, { askStatus }, { stateFolder }, { statusLines }] = await Promise.all([
    import('../../agent/state/device-file.ts'),
    import('../../agent/status/socket.ts'),
    import('../../agent/state/state-folder.ts'),
    import('../../agent/status/status-lines.ts'),
  ])
  const folder = stateFolder(options.state)
  const device = await readDevice(folder)
  const status = await askStatus(folder)
  if (device === undefined) {
    throw new CliError(`no registration found: ${folder} does not contain device.json`, {
      hint: 'To register this machine, run "muster agent register --url URL --code CODE". If the agent runs as another user, pass its state folder with --state.',
    })
  }
  const { secret: _secret, ...shown } = device
  if (options.json) console.log(JSON.stringify({ ...shown, running: status !== undefined, ...status }))
  else for (const line of statusLines(device, status)) console.log(line)
  if (status?.connected !== true) process.exitCode = exitCodes.failed
}
