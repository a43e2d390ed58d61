import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'

export async function readInput(path: string): Promise<Buffer> {
  if (path === '-') return buffer(process.stdin)
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `cannot read ${path}: ${error.message}`,
      error.code === 'ENOENT' ? { exitCode: exitCodes.usage } : {},
    )
  })
}
