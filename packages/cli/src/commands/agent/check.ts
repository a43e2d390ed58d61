import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { exitCodes } from '../../errors/exit-codes.ts'
import { newAgentCommand } from './new-agent-command.ts'

const origins = {
  'machine-id': 'from the machine ID',
  'product-uuid': 'from the product UUID',
  'made-up': 'generated',
} as const

export function buildCommand(): Command {
  return newAgentCommand('check')
    .description(`Read the configuration, inspect this machine, and print what the agent would report. The command sends
nothing to the server. It exits with code 1 if a value cannot be read.`)
    .action(run)
}

async function run(options: AgentOptions): Promise<void> {
  const [{ inspectMachine }, { readSettings }, { valueLine }] = await Promise.all([
    import('../../agent/preview-report.ts'),
    import('../../agent/settings.ts'),
    import('../../agent/status/status-lines.ts'),
  ])
  const { config } = await readSettings(options)
  const seen = await inspectMachine(config)
  if (options.json) {
    console.log(JSON.stringify(seen))
  } else {
    console.log(`config     ${seen.config ?? 'none'}`)
    console.log(`name       ${seen.name}`)
    console.log(`platform   ${seen.platform}`)
    console.log(`hardware   ${seen.hardwareId} (${origins[seen.hardwareIdFrom]})`)
    for (const { name, port, state } of seen.services) console.log(`service    ${name}, port ${port}: ${state}`)
    for (const value of seen.values) console.log(`value      ${valueLine(value)}`)
  }
  if (seen.values.some(({ failure }) => failure !== undefined)) process.exitCode = exitCodes.failed
}
