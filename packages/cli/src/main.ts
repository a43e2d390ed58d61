import { CommanderError } from 'commander'
import { exitCodes } from './errors/exit-codes.ts'
import { printFailure } from './errors/failure.ts'
import { moveGlobalOptions } from './move-global-options.ts'
import { buildProgram, configureUsageErrors } from './program.ts'
import { handleOutputErrors, OutputError } from './terminal/standard-output.ts'

export async function main(given: readonly string[]): Promise<number> {
  handleOutputErrors()
  followLauncher()
  const args = moveGlobalOptions(given)
  const json = args.includes('--json')
  try {
    if (given[0] === '__complete')
      return await (await import('./completion/print-completions.ts')).complete(given.slice(1))
    const program = await buildProgram(args)
    configureUsageErrors(program, { json })
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? exitCodes.ok)
  } catch (error) {
    // Print nothing, because Commander has already printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (error instanceof OutputError) return Number(process.exitCode ?? exitCodes.ok)
    return printFailure(error, { json })
  }
}

/** If this process is a child process of the launcher (bin/muster.js), stops this process when the launcher ends. */
function followLauncher(): void {
  if (process.env.MUSTER_LAUNCHED !== '1') return
  delete process.env.MUSTER_LAUNCHED
  const end = (): void => void process.kill(process.pid, 'SIGTERM')
  // If the launcher has already ended, no `disconnect` event follows.
  if (!process.connected) end()
  process.once('disconnect', end)
  // Prevent the channel alone from keeping this process running.
  process.channel?.unref()
}
