import { type Command, Option } from 'commander'
import { whereHelp } from '../devices/where.ts'
import { usageError } from '../errors/cli-error.ts'
import { type ClientOptions, collect } from '../options/new-command.ts'

/** The common options of `attributes set` and `attributes unset`. */
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
    .addOption(
      new Option('--where <condition>', 'all matching devices, such as state=active; repeatable')
        .argParser(collect)
        .conflicts(['all', 'from']),
    )
    .addOption(new Option('--all', 'all devices').conflicts('from'))
    .option('--from <file>', 'devices and services with the ids in a file, one per line; - for standard input')
    .option('--context <name>', 'change overrides in this context; conditions also use it')
    .option('--dry-run', 'print what would change, but change nothing')
    .option('-y, --yes', 'skip the confirmation')
    .option('--state <file>', 'file for the progress of a bulk change (default: in ~/.muster/changes)')
    .addHelpText('after', `${whereHelp}\n${bulkHelp}`)
}

const bulkHelp = `
A bulk change asks for confirmation unless you pass --yes. Ctrl-C lets running requests finish; resume the change with
"muster attributes resume". Each device is changed completely or not at all. Rejected devices are reported, and the others
are changed.`

export const isBulk = ({ where, all, from }: ChangeOptions): boolean =>
  where !== undefined || all === true || from !== undefined

/** Separates the target from the other arguments. It is the first argument, except in bulk changes. */
export function splitTarget(given: readonly string[], options: ChangeOptions): { meant?: string; rest: string[] } {
  if (isBulk(options)) return { rest: [...given] }
  const [meant, ...rest] = given
  if (meant === undefined)
    throw usageError('the target is missing', 'Name a device, or pass --where, --all, or --from.')
  return { meant, rest }
}
