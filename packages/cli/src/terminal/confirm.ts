import { createInterface, type Interface } from 'node:readline/promises'
import { CliError, usageError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'

export async function confirm(what: string, { yes = false }: { yes?: boolean | undefined }): Promise<void> {
  if (yes) return
  assertTerminal(what)
  if (!/^y(es)?$/i.test(await ask(`${what}? [y/N] `))) throw canceled()
}

export async function confirmByTyping(
  expected: string,
  { what, yes = false }: { what: string; yes?: boolean | undefined },
): Promise<void> {
  if (yes) return
  assertTerminal(what)
  if ((await ask(`${what}?\nType ${expected} to confirm: `)) !== expected) throw canceled()
}

function assertTerminal(what: string): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return
  throw usageError(`${what}: cannot ask for confirmation without a terminal`, 'Pass --yes to confirm.')
}

export const canceled = (): CliError => new CliError('canceled; no changes made', { exitCode: exitCodes.interrupted })

/**
 * Prints the question to standard error, because standard output is for results. Returns the trimmed answer. Throws if
 * the user presses Ctrl-C or closes standard input.
 */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await answerTo(question, lines)).trim()
  } finally {
    lines.close()
  }
}

/** Like `ask`, but does not show the answer while the user types it, and returns it unchanged. */
export async function askSecretly(question: string): Promise<string> {
  process.stderr.write(question)
  const { Writable } = await import('node:stream')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await answerTo('', lines)
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

function answerTo(question: string, lines: Interface): Promise<string> {
  const gone = new Promise<never>((_resolve, reject) => {
    for (const what of ['SIGINT', 'close']) lines.once(what, () => reject(canceled()))
  })
  return Promise.race([lines.question(question), gone])
}
