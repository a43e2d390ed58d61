import { exitCodes } from '../errors/exit-codes.ts'

const failure = new AbortController()

/** Aborts when standard output cannot be written, for example because the reader has closed the pipe. */
export const outputFailed: AbortSignal = failure.signal

/** Ends a command that cannot write its output. `main` prints nothing for this error. */
export class OutputError extends Error {}

/**
 * Keeps the process running if it cannot write its output, so that the command can clean up. `write` throws instead.
 * The exit code is 1, unless the reader has closed the pipe, as in `muster export | head`.
 */
export function handleOutputErrors(): void {
  process.stdout.on('error', fail)
  process.stderr.on('error', () => {})
}

/** Writes to standard output. Throws an OutputError if this fails. */
export function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error == null) return resolve()
      fail(error)
      reject(new OutputError(error.message))
    })
  })
}

function fail(error: NodeJS.ErrnoException): void {
  if (outputFailed.aborted) return
  failure.abort()
  if (error.code === 'EPIPE') return
  console.error(`muster: cannot write the output: ${error.message}`)
  process.exitCode = exitCodes.failed
}
