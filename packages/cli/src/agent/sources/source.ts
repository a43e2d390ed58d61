import { builtIns } from './built-in.ts'
import { runCommand } from './command.ts'
import type { Sample } from './sample.ts'

/** Finds a value out. Rejects, in words for the log, where there is none. The signal ends what takes long. */
export type Source = (signal: AbortSignal) => Promise<Sample>

/** A source as the configuration writes it, or what is wrong with it. */
export function parseSource(written: string, { timeout }: { timeout: number }): Source | string {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(written) ?? []
  if (word === 'command') {
    if (rest === '') return '"command" is followed by what is to be run, such as "command /usr/local/bin/ups-charge"'
    return (signal) => runCommand(rest, { timeout, signal })
  }
  const builtIn = builtIns[word]
  if (builtIn === undefined) {
    return `"${word}" is no source; there are ${Object.keys(builtIns).join(', ')} and "command" with what is to be run`
  }
  const { takes, read } = builtIn
  if (takes === undefined && rest !== '') return `"${word}" takes nothing after it, and "${rest}" is there`
  if (takes !== undefined && rest === '' && !takes.endsWith('?')) return `"${word}" is followed by a ${takes}`
  return () => read(rest)
}
