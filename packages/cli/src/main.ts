import { CommanderError } from 'commander'
import { exitCodes } from './errors/exit-codes.ts'
import { printFailure } from './errors/failure.ts'
import { moveGlobalOptions } from './move-global-options.ts'
import { buildProgram, configureUsageErrors } from './program.ts'
import { followLauncher, handleOutputErrors } from './terminal/process.ts'

export async function main(given: readonly string[]): Promise<number> {
  handleOutputErrors()
  followLauncher()
  if (given[0] === '__complete') return (await import('./completion/complete.ts')).complete(given.slice(1))
  const args = moveGlobalOptions(given)
  const json = args.includes('--json')
  try {
    const program = await buildProgram(args)
    configureUsageErrors(program, { json })
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? exitCodes.ok)
  } catch (error) {
    // Print nothing, because Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return printFailure(error, { json })
  }
}
