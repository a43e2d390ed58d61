let endsUnread = true

/** From here on the command does its work to the end though nobody reads what it says: it is changing things. */
export function goOnUnread(): void {
  endsUnread = false
}

/** `muster export | head` ends quietly: whoever reads has seen enough. A full disk is told as what it is. */
export function quietBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') {
        if (endsUnread) process.exit(0)
        return
      }
      if (stream === process.stdout) console.error(`muster: the output cannot be written: ${error.message}`)
      process.exit(1)
    })
  }
}

/** Started by an older Node, this process ends with it, even when that one is killed. */
export function followLauncher(): void {
  if (process.env.MUSTER_LAUNCHED !== '1') return
  delete process.env.MUSTER_LAUNCHED
  const end = (): void => void process.kill(process.pid, 'SIGTERM')
  // It may be gone before this process has come so far.
  if (!process.connected) end()
  process.once('disconnect', end)
  // The channel is no reason to go on running.
  process.channel?.unref()
}

/** Writes to a stream no faster than it takes. */
export async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (stream.write(text)) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done)
      resolve()
    }
    // A stream that broke drains no more.
    stream.on('drain', done).on('close', done).on('error', done)
  })
}

export interface Interruption {
  signal: AbortSignal
  release(): void
}

/** The first Ctrl-C aborts the signal, so that work can come to a stop; the second one ends the process at once. */
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
