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

/** Exits when the launcher (bin/muster.js) ends, if the launcher started this process as a child process. */
export function followLauncher(): void {
  if (process.env.MUSTER_LAUNCHED !== '1') return
  delete process.env.MUSTER_LAUNCHED
  const end = (): void => void process.kill(process.pid, 'SIGTERM')
  // If the launcher has already ended, no `disconnect` event follows.
  if (!process.connected) end()
  process.once('disconnect', end)
  // Prevent the channel alone from keeping this process running.
  process.channel?.unref()
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

export interface Interruption {
  signal: AbortSignal
  release(): void
}

/** Handles Ctrl-C and SIGTERM. The first one aborts the returned signal, and the second one exits immediately. */
export function onInterrupt(whenAsked: () => void): Interruption {
  const controller = new AbortController()
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
    whenAsked()
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, handle)
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) process.off(signal, handle)
    },
  }
}
