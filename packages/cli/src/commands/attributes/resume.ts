import type { Command } from 'commander'
import { CliError, usageError } from '../../cli-error.ts'
import { type ClientOptions, newClientCommand, prose } from '../../new-command.ts'
import { openMuster } from '../../open-muster.ts'

export function resumeCommand(): Command {
  return newClientCommand('resume', 'go on with a change of many that was cut short')
    .description(
      prose(`Goes on with a "muster attributes set" or "unset" of many that was interrupted or failed, from where it was, and without
asking again. What it keeps for that is removed once it is done.`),
    )
    .argument('[file]', 'what the interrupted command named; left away, the one that there is')
    .action(run)
}

async function run(given: string | undefined, options: ClientOptions): Promise<void> {
  const [{ listStates, readState }, { findUserId }, { runPlan }] = await Promise.all([
    import('../../attributes/state-file.ts'),
    import('../../attributes/find-target.ts'),
    import('../../attributes/run-plan.ts'),
  ])
  const file = given ?? theOnly(await listStates())
  const plan = await readState(file)
  const muster = await openMuster(options, 6)
  if (muster.url !== plan.url || (await findUserId(muster)) !== plan.userId) {
    throw usageError(
      `the change was begun at ${plan.url} by another user than these credentials name`,
      'Give the --credentials or --profile that it was begun with.',
    )
  }
  await runPlan(muster, plan, { ...options, state: file })
}

function theOnly(files: readonly string[]): string {
  const [file, another] = files
  if (file === undefined) throw new CliError('no change was cut short')
  if (another === undefined) return file
  throw usageError('several changes were cut short', `Name one of them: ${files.join(' ')}`)
}
