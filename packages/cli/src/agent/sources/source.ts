import { builtIns } from './built-in.ts'
import { runCommand } from './command.ts'
import type { Sample } from './sample.ts'

/** Reads a value. On failure, rejects with an error, which the agent logs. The signal stops a running command. */
export type Source = (signal: AbortSignal) => Promise<Sample>

export function parseSource(written: string, { timeout }: { timeout: number }): Source | string {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(written) ?? []
  if (word === 'command') {
    if (rest === '') return '"command" must be followed by a shell command, such as "command /usr/local/bin/ups-charge"'
    return (signal) => runCommand(rest, { timeout, signal })
  }
  const builtIn = builtIns[word]
  if (builtIn === undefined) {
    return `"${word}" is not a source. Known sources: ${Object.keys(builtIns).join(', ')}, and "command" with a shell command`
  }
  const { takes, read } = builtIn
  if (takes === undefined && rest !== '') return `"${word}" does not accept an argument, but is followed by "${rest}"`
  if (takes !== undefined && rest === '' && !takes.endsWith('?')) return `"${word}" must be followed by a ${takes}`
  return () => read(rest)
}
