import { once } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../start-error.ts'
import { type Closing, createClosing } from './closing.ts'
import { createReload } from './reload.ts'
import { onStopSignal } from './stop-signal.ts'

export interface Running {
  log: FastifyBaseLogger
  closing: Closing
  /** Stops the program after a part that it needs, such as the database, has failed permanently. */
  onLost: (reason: string) => void
  onReload: (read: () => Promise<void>) => void
  signal: AbortSignal
}

/** Delivers commands from another process, in addition to signals. */
export interface CommandSource {
  onStop(stop: () => void): void
  onReload(reload: () => void): void
}

/**
 * Resolves once all parts of the program are closed. Rejects if the program cannot start, or if it loses a part that it
 * needs.
 */
export async function run(
  log: FastifyBaseLogger,
  start: (running: Running) => Promise<void>,
  commands?: CommandSource,
): Promise<void> {
  const reload = createReload()
  const stopSignal = onStopSignal(reload.now)
  commands?.onStop(stopSignal.stop)
  commands?.onReload(reload.now)
  const closing = createClosing(log)
  let lost: string | undefined
  const onLost = (reason: string): void => {
    lost = reason
    stopSignal.stop()
  }
  try {
    await start({ log, closing, onLost, onReload: reload.add, signal: stopSignal.signal })
    if (!stopSignal.signal.aborted) await once(stopSignal.signal, 'abort')
    log.info('stopping')
  } catch (error) {
    if (!stopSignal.signal.aborted) throw error
  } finally {
    await closing.closeAll()
    stopSignal.release()
  }
  if (lost !== undefined) throw new StartError(lost)
}
