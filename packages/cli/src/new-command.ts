import { Command, InvalidArgumentError, Option } from 'commander'
import { exitCodeTable } from './cli-error.ts'

const exitCodeHelp = `
Exit codes:
${Object.values(exitCodeTable)
  .map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`)
  .join('\n')}`

/** What the options of every command that talks to a server come to. */
export interface ClientOptions {
  json?: boolean
  credentials?: string
  profile?: string
}

export interface ListOptions extends ClientOptions {
  csv?: boolean
  /** CSV without apostrophes before formulas. */
  raw?: boolean
  columns?: string[]
  limit: number
}

/** A command with what all have: --help, --json and the exit codes in its help. */
export function newCommand(name: string, summary: string): Command {
  return new Command(name)
    .summary(summary)
    .description(summary)
    .helpOption('-h, --help', 'print help')
    .option('--json', 'print results and errors as JSON')
    .addHelpText('afterAll', exitCodeHelp)
}

/** `newCommand` for what talks to a server. */
export function newClientCommand(name: string, summary: string): Command {
  return newCommand(name, summary)
    .option('--credentials <file>', 'INI file that says where the server is and who asks')
    .option('--profile <name>', 'which section of that file (default: MUSTER_PROFILE, else default)')
}

/** `newClientCommand` for what prints a list: a table for people, JSON Lines or CSV for programs. */
export function newListCommand(name: string, summary: string, { limit }: { limit: number }): Command {
  const initial = limit === Number.POSITIVE_INFINITY ? 'all' : String(limit)
  return newClientCommand(name, summary)
    .addOption(new Option('--csv', 'print CSV, with a row of names first').conflicts('json'))
    .option('--raw', 'in CSV, write what a spreadsheet would run as a formula without an apostrophe before it')
    .option('--columns <names>', 'columns of the table or CSV, with commas between', namesWithCommas)
    .addOption(new Option('--limit <count>', 'how many at most, or all').argParser(limitOf).default(limit, initial))
}

/** Takes `a,b` and is called again for each time the option is given. */
export const namesWithCommas = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
]

/** For options that may be given several times, each value as it is. */
export const collect = (text: string, before: readonly string[] = []): string[] => [...before, text]

function limitOf(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  return wholeNumber(1, Number.MAX_SAFE_INTEGER)(text)
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`It must be a whole number ${range}.`)
  }
}

/** Text written over several lines, for the help to break where the terminal ends. */
export const prose = (text: string): string => text.trim().replace(/(?<!\n)\n(?!\n)/g, ' ')
