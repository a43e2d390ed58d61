import type { Command } from 'commander'
import { CliError, usageError } from '../../errors/cli-error.ts'
import { type ClientOptions, newClientCommand } from '../../options/new-command.ts'
import { openMuster } from '../../server/open-muster.ts'

export function buildCommand(): Command {
  return newClientCommand('resume')
    .description(`Resume an interrupted or failed bulk change from "muster attributes set" or "muster attributes unset".
The command does not ask for confirmation, and removes the state file when the change is complete.`)
    .argument(
      '[file]',
      'state file, whose path the interrupted or failed command printed (default: the only file in ~/.muster/changes)',
    )
    .action(run)
}

async function run(given: string | undefined, options: ClientOptions): Promise<void> {
  const [{ listStates, readState }, { findUserId }, { runPlan }] = await Promise.all([
    import('../../attributes/state-file.ts'),
    import('../../attributes/find-target.ts'),
    import('../../attributes/run-plan.ts'),
  ])
  const file = given ?? onlyFile(await listStates())
  const plan = await readState(file)
  const muster = await openMuster(options, 6)
  const hint = 'Use the credentials of the original command. Pass --credentials or --profile to select them.'
  if (muster.url !== plan.url) throw usageError(`the change was started on ${plan.url}, not on ${muster.url}`, hint)
  if ((await findUserId(muster)) !== plan.userId)
    throw usageError('the change was started in a different account', hint)
  await runPlan(muster, plan, { ...options, state: file })
}

function onlyFile(files: readonly string[]): string {
  const [file, another] = files
  if (file === undefined)
    throw new CliError('no interrupted or failed change found in ~/.muster/changes', {
      hint: 'If you passed --state to the original command, pass the same path to this command.',
    })
  if (another === undefined) return file
  throw usageError(
    'several interrupted or failed changes found in ~/.muster/changes',
    `Pass one of these files: ${files.join(' ')}`,
  )
}
