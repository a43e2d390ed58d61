import { type Command, Option } from 'commander'
import { whereHelp, whereOption } from '../devices/where.ts'
import { usageError } from '../errors/cli-error.ts'
import type { ClientOptions } from '../options/new-command.ts'

export interface ChangeOptions extends ClientOptions {
  where?: string[]
  all?: boolean
  from?: string
  context?: string
  dryRun?: boolean
  yes?: boolean
  state?: string
}

export function withChangeOptions(command: Command): Command {
  return command
    .addOption(whereOption('change devices').conflicts(['all', 'from']))
    .addOption(new Option('--all', 'change all devices').conflicts('from'))
    .option(
      '--from <file>',
      'change the devices and services whose IDs are in a file, one ID per line; - for standard input',
    )
    .option('--context <name>', 'change overrides in this context; the filter also reads attributes in this context')
    .option('--dry-run', 'print the changes without making them')
    .option('-y, --yes', 'skip the confirmation prompt')
    .option(
      '--state <file>',
      'file that records the progress of a bulk change (default: a new file in ~/.muster/changes)',
    )
    .addHelpText('after', `${whereHelp}\n${bulkHelp}`)
}

const bulkHelp = `
With --where or --all, a bulk change asks for confirmation unless you pass --yes. Ctrl-C lets requests in flight finish.
To resume the change, run "muster attributes resume". Each device or service changes completely or not at all. If
the server rejects a change, the command reports the device or service and continues.`

/**
 * Splits the target from the other arguments. In a bulk change, options select the targets instead. Throws a usage
 * error if neither an argument nor an option selects a target.
 */
export function splitTarget(given: readonly string[], options: ChangeOptions): { nameOrId?: string; rest: string[] } {
  const { where, all = false, from } = options
  if (where !== undefined || all || from !== undefined) return { rest: [...given] }
  const [nameOrId, ...rest] = given
  if (nameOrId === undefined)
    throw usageError('missing target', 'Specify a device, a service, or "me"; or pass --where, --all, or --from.')
  return { nameOrId, rest }
}
