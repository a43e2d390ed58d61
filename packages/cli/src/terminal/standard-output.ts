let exitsOnClosedOutput = true

/** Keeps the process running after its output closes, so that a bulk change of attributes is not interrupted. */
export function ignoreClosedOutput(): void {
  exitsOnClosedOutput = false
}

/**
 * Exits when output cannot be written. If the reader closes the pipe, as in `muster export | head`, exits silently, or
 * continues if `ignoreClosedOutput` was called.
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
    // Also wait for the end of the stream, because a broken stream never emits "drain".
    stream.on('drain', done).on('close', done).on('error', done)
  })
}
