import { Command } from 'commander'
import type { CommandEntry } from './commands/command-entry.ts'
import { commandTable } from './commands/table.ts'
import { prose } from './new-command.ts'
import { version } from './version.ts'

const description = prose(`Self-hosted device and service management.

"muster serve" starts the server, "muster configure" keeps the credentials of one. Commands that talk to a server take their
credentials from --credentials, else MUSTER_CREDENTIALS, else $MUSTER_DATA/credentials (data/credentials), else
~/.muster/credentials.`)

/** The program with the one command loaded that the arguments name: of the others, the help needs no more than a line. */
export function buildProgram(args: readonly string[]): Promise<Command> {
  return build((path) => path.every((name, index) => args[index] === name))
}

/** The program with all commands: for the reference. */
export const buildWholeProgram = (): Promise<Command> => build(() => true)

type IsWanted = (path: readonly string[]) => boolean

async function build(isWanted: IsWanted): Promise<Command> {
  const program = new Command('muster')
    .description(description)
    .version(version, '-v, --version', 'print the release')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false, subcommandTerm: (command) => command.name() })
  for (const entry of commandTable) program.addCommand(await toCommand(entry, [entry.name], isWanted))
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
  if (entry.load !== undefined) return entry.load()
  const noun = new Command(entry.name)
    .summary(entry.summary)
    .description(entry.description ?? entry.summary)
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: false, subcommandTerm: (command) => command.name() })
  for (const verb of entry.verbs ?? []) noun.addCommand(await toCommand(verb, [...path, verb.name], isWanted))
  return noun
}

/** Commander ends the process by itself unless every command is told otherwise. */
function exitByThrowing(command: Command): void {
  command.exitOverride()
  for (const child of command.commands) exitByThrowing(child)
}

/** Where a command is used wrongly, says so and points at its help; as JSON where results are. */
export function tellUsageErrors(command: Command, { json }: { json: boolean }): void {
  if (!json) command.showHelpAfterError(`Run "${commandPath(command)} --help" for what it takes.`)
  else
    command.configureOutput({
      outputError: (text, write) => {
        const message = text.trim().replace(/^error: /, '')
        write(`${JSON.stringify({ error: { code: 'USAGE', message } })}\n`)
      },
    })
  for (const child of command.commands) tellUsageErrors(child, { json })
}

function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`
}
