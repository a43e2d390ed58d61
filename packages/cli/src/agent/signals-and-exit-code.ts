import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { createLog } from './log.ts'
import { runAgent } from './run.ts'
import type { AgentOptions } from './settings.ts'

export async function main(options: AgentOptions): Promise<number> {
  const stopping = new AbortController()
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(exitCodes.interrupted)
    stopping.abort()
  }
  const signals = ['SIGTERM', 'SIGINT'] as const
  for (const signal of signals) process.on(signal, stop)
  const log = createLog({ json: options.json === true, journal: process.env.JOURNAL_STREAM !== undefined })
  try {
    await runAgent(options, log, stopping.signal)
    return exitCodes.ok
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    log.error(error.message, { hint: error.hint })
    return error.exitCode
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}
