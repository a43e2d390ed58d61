import { version } from '@muster/server/version.ts'
import { Command } from 'commander'
import { allCommands } from './commands/all-commands.ts'
import type { CommandEntry } from './commands/command-entry.ts'
import { globalOptions } from './options/global-options.ts'

const description = `Self-hosted device and service management.

"muster serve" starts the server. "muster configure" saves server credentials. Commands that send requests to a server
read credentials from the file in --credentials or MUSTER_CREDENTIALS, or otherwise from
$MUSTER_DATA/credentials (by default, data/credentials) or ~/.muster/credentials.`

/** Loads only the command that the arguments specify. The help requires only the summaries of the other commands. */
export function buildProgram(args: readonly string[]): Promise<Command> {
  return build((path) => path.every((name, index) => args[index] === name))
}

export const buildWholeProgram = (): Promise<Command> => build(() => true)

type IsWanted = (path: readonly string[]) => boolean

async function build(isWanted: IsWanted): Promise<Command> {
  const program = newParent('muster')
    .description(prose(description))
    .version(version, '-v, --version', 'print the version')
  for (const entry of allCommands) program.addCommand(await toCommand(entry, [entry.name], isWanted))
  exitByThrowing(program)
  return program
}

async function toCommand(entry: CommandEntry, path: readonly string[], isWanted: IsWanted): Promise<Command> {
  const command = await loaded(entry, path, isWanted)
  if (entry.group !== undefined) command.helpGroup(entry.group)
  return command
}

async function loaded(entry: CommandEntry, path: readonly string[], isWanted: IsWanted): Promise<Command> {
  if (!isWanted(path)) return new Command(entry.name).summary(entry.summary)
  if (entry.load !== undefined) {
    const command = (await entry.load()).buildCommand().summary(entry.summary)
    return command.description(prose(command.description()) || sentence(entry.summary))
  }
  const noun = newParent(entry.name)
    .summary(entry.summary)
    .description(entry.description ?? sentence(entry.summary))
  for (const verb of entry.verbs ?? []) noun.addCommand(await toCommand(verb, [...path, verb.name], isWanted))
  return noun
}

function newParent(name: string): Command {
  const parent = new Command(name)
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false, subcommandTerm: (command) => command.name() })
    // Let each subcommand parse the options after its name, even if this command has the same options.
    .enablePositionalOptions()
  for (const option of globalOptions()) parent.addOption(option)
  return parent
}

/**
 * Joins the lines of each paragraph of a command's description, so that the help wraps paragraphs at the terminal
 * width.
 */
const prose = (text: string): string => text.trim().replace(/(?<!\n)\n(?!\n)/g, ' ')

const sentence = (summary: string): string => `${summary[0]!.toUpperCase()}${summary.slice(1)}.`

/** Makes every command throw its errors, because Commander otherwise exits the process. */
function exitByThrowing(command: Command): void {
  command.exitOverride()
  for (const child of command.commands) exitByThrowing(child)
}

export function configureUsageErrors(command: Command, { json }: { json: boolean }): void {
  if (!json) command.showHelpAfterError(`Run "${commandPath(command)} --help" for usage.`)
  else
    command.configureOutput({
      outputError: (text, write) => {
        const message = text.trim().replace(/^error: /, '')
        write(`${JSON.stringify({ error: { code: 'USAGE', message } })}\n`)
      },
    })
  for (const child of command.commands) configureUsageErrors(child, { json })
}

function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`
}
