import { Command, Option } from 'commander'
import { exitCodeTable } from '../errors/exit-codes.ts'
import { clientOptions, jsonOption } from './global-options.ts'
import { columnNames, limitOf } from './option-values.ts'

const exitCodeHelp = `
Exit codes:
${Object.values(exitCodeTable)
  .map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`)
  .join('\n')}`

export interface ClientOptions {
  json?: boolean
  credentials?: string
  profile?: string
}

export interface TableOptions {
  json?: boolean
  csv?: boolean
  /** Whether to write CSV without apostrophes before values that a spreadsheet would run as formulas. */
  raw?: boolean
  columns?: string[]
}

export interface ListOptions extends ClientOptions, TableOptions {
  limit: number
}

export function newCommand(name: string): Command {
  return new Command(name)
    .helpOption('-h, --help', 'print help')
    .addOption(jsonOption())
    .addHelpText('afterAll', exitCodeHelp)
}

export function newClientCommand(name: string): Command {
  const command = newCommand(name)
  for (const option of clientOptions()) command.addOption(option)
  return command
}

export function newListCommand(name: string, { limit }: { limit: number }): Command {
  const initial = limit === Number.POSITIVE_INFINITY ? 'all' : String(limit)
  return withTableOptions(newClientCommand(name)).addOption(
    new Option('--limit <count>', 'maximum number of rows, or "all"').argParser(limitOf).default(limit, initial),
  )
}

export const withTableOptions = (command: Command): Command =>
  command
    .addOption(new Option('--csv', 'print CSV with a header row').conflicts('json'))
    .option('--raw', 'with --csv, do not add an apostrophe before values that a spreadsheet would run as formulas')
    .option('--columns <names>', 'comma-separated columns of the table or CSV', columnNames)
