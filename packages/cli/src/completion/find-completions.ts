import type { Command, Option } from 'commander'
import { allCommands } from '../commands/all-commands.ts'
import { credentialsFile, profilesIn, readTextIfReadable } from '../credentials/credentials.ts'
import { moveGlobalOptions } from '../move-global-options.ts'
import { buildProgram } from '../program.ts'

export interface Candidate {
  text: string
  description?: string
}

/**
 * Returns the completions of the last word. If none are known, returns an empty array, and the shell completes file
 * names instead.
 */
export async function findCandidates(words: readonly string[]): Promise<Candidate[]> {
  const done = moveGlobalOptions(words.slice(0, -1))
  const typed = words.at(-1) ?? ''
  const found = await candidatesFor(done, typed)
  return found.filter(({ text }) => text.startsWith(typed))
}

async function candidatesFor(done: readonly string[], typed: string): Promise<Candidate[]> {
  if (done.length === 0 && !typed.startsWith('-'))
    return allCommands.map(({ name, summary }) => ({ text: name, description: summary }))
  const program = await buildProgram(done)
  let command: Command = program
  let used = 0
  for (const word of done) {
    const next = command.commands.find((child) => child.name() === word)
    if (next === undefined) break
    command = next
    used++
  }
  const rest = done.slice(used)
  const waiting = findOption(command, rest.at(-1))
  if (waiting !== undefined) return valuesOf(waiting, rest)
  if (typed.startsWith('-')) return optionsOf(command)
  if (command.commands.length > 0) {
    return command.commands.map((child) => ({ text: child.name(), description: child.summary() }))
  }
  return argumentsOf(command, rest, typed)
}

const optionsOf = (command: Command): Candidate[] =>
  [...command.options, { long: '--help', description: 'print help', hidden: false }]
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long, description }) => ({ text: long!, description }))

async function valuesOf(option: Option, rest: readonly string[]): Promise<Candidate[]> {
  if (option.argChoices !== undefined) return option.argChoices.map((text) => ({ text }))
  if (option.long !== '--profile') return []
  const text = await readTextIfReadable(await credentialsFile(valueIn(rest, '--credentials')))
  return profilesIn(text ?? '').map((profile) => ({ text: profile }))
}

const MAX_NAMES = 50
/** This timeout is short, because the shell blocks until completion ends. MUSTER_COMPLETION_TIMEOUT overrides it. */
const TIMEOUT_MS = 1_500

async function argumentsOf(command: Command, rest: readonly string[], typed: string): Promise<Candidate[]> {
  const positional = rest.filter((word, index) => !word.startsWith('-') && !findOption(command, rest[index - 1]))
  const named = command.registeredArguments[positional.length] ?? command.registeredArguments.at(-1)
  if (named === undefined || (positional.length >= command.registeredArguments.length && !named.variadic)) return []
  if (named.argChoices !== undefined) return named.argChoices.map((text) => ({ text }))
  if (!/^(device|target)/.test(named.name()) || typed === '') return []
  return deviceNames(typed, { credentials: valueIn(rest, '--credentials'), profile: valueIn(rest, '--profile') })
}

const findOption = (command: Command, word: string | undefined): Option | undefined =>
  word === undefined
    ? undefined
    : command.options.find(({ required, long, short }) => required && (long === word || short === word))

function valueIn(words: readonly string[], option: string): string | undefined {
  const at = words.indexOf(option)
  return at === -1 ? undefined : words[at + 1]
}

async function deviceNames(
  typed: string,
  which: { credentials?: string | undefined; profile?: string | undefined },
): Promise<Candidate[]> {
  const { openMuster } = await import('../server/open-muster.ts')
  const muster = await openMuster(which, 0)
  const signal = AbortSignal.timeout(Number(process.env.MUSTER_COMPLETION_TIMEOUT) || TIMEOUT_MS)
  const { login } = await muster.select(
    { login: { devices: { $: { name: typed, size: MAX_NAMES }, items: { name: true, state: true } } } },
    { signal },
  )
  return (login?.devices.items ?? []).map(({ name, state }) => ({ text: name, description: state }))
}
