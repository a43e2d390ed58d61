import type { Command } from 'commander'
import type { AgentOptions } from '../../agent/settings.ts'
import { prose } from '../../new-command.ts'
import { newAgentCommand } from './new-agent-command.ts'

export function checkCommand(): Command {
  return newAgentCommand('check', 'say what would be reported')
    .description(
      prose(`Reads the configuration, looks at this machine and says what the agent would report, without a word to the server. Ends with
1 when a value cannot be found out.`),
    )
    .action(run)
}

async function run(options: AgentOptions): Promise<void> {
  const [{ lookAround }, { readSettings }, { valueLine }] = await Promise.all([
    import('../../agent/look-around.ts'),
    import('../../agent/settings.ts'),
    import('../../agent/status/status-lines.ts'),
  ])
  const { config } = await readSettings(options)
  const seen = await lookAround(config)
  if (options.json) {
    console.log(JSON.stringify(seen))
  } else {
    console.log(`config     ${seen.config ?? 'none'}`)
    console.log(`name       ${seen.name}`)
    console.log(`platform   ${seen.platform}`)
    console.log(`hardware   ${seen.hardwareId} (from the ${seen.hardwareIdFrom.replace('-', ' ')})`)
    for (const { name, port, state } of seen.services) console.log(`service    ${name}, port ${port}: ${state}`)
    for (const value of seen.values) console.log(`value      ${valueLine(value)}`)
  }
  if (seen.values.some(({ failure }) => failure !== undefined)) process.exitCode = 1
}
