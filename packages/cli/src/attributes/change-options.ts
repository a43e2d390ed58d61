import { type Command, Option } from 'commander'
import { usageError } from '../cli-error.ts'
import { whereHelp } from '../devices/where.ts'
import { type ClientOptions, collect } from '../new-command.ts'

/** What `attributes set` and `attributes unset` have in common. */
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
      new Option('--where <condition>', 'all devices that match, such as state=active; may be given again')
        .argParser(collect)
        .conflicts(['all', 'from']),
    )
    .addOption(new Option('--all', 'all devices').conflicts('from'))
    .option('--from <file>', 'devices and services whose ids are in a file, one a line; - for standard input')
    .option('--context <name>', 'in this context alone; conditions are read in it, too')
    .option('--dry-run', 'say what would change, and change nothing')
    .option('-y, --yes', 'do not ask')
    .option('--state <file>', 'where a change of many keeps how far it is (default: in ~/.muster/changes)')
    .addHelpText('after', `${whereHelp}\n${manyHelp}`)
}

const manyHelp = `
A change of many asks first, or wants --yes. Ctrl-C lets the running requests finish and says how many are done and how to go
on: "muster attributes resume". Each device is all or nothing by itself; what is refused is told, and the others are done.`

export const isOfMany = ({ where, all, from }: ChangeOptions): boolean =>
  where !== undefined || all === true || from !== undefined

/** The arguments without the target, which stands first unless many are meant. */
export function splitTarget(given: readonly string[], options: ChangeOptions): { meant?: string; rest: string[] } {
  if (isOfMany(options)) return { rest: [...given] }
  const [meant, ...rest] = given
  if (meant === undefined)
    throw usageError('nothing is named to change', 'Name a device, or give --where, --all or --from.')
  return { meant, rest }
}
