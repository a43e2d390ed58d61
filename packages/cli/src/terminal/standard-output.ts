let exitsOnClosedOutput = true

/** Keeps the process running after the reader closes the pipe, so that a bulk change of attributes continues. */
export function ignoreClosedOutput(): void {
  exitsOnClosedOutput = false
}

/**
 * Ends the process with exit code 1 if it cannot write its output. If the reader has closed the pipe, as in
 * `muster export | head`, the process exits with code 0 instead. If `ignoreClosedOutput` was called, the process
 * continues.
 */
export function handleOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') {
        if (exitsOnClosedOutput) process.exit(0)
        return
      }
      if (stream === process.stdout) console.error(`muster: cannot write the output: ${error.message}`)
      process.exit(1)
    })
  }
}

export async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (stream.write(text)) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done)
      resolve()
    }
    // A broken stream emits "close" or "error", but never "drain".
    stream.on('drain', done).on('close', done).on('error', done)
  })
}
