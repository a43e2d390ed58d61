import { once } from 'node:events'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../start-error.ts'
import { type Closing, createClosing } from './closing.ts'
import { createReload } from './reload.ts'
import { onStopSignal } from './stop-signal.ts'

/** What there is to whatever runs until it is stopped. */
export interface Running {
  log: FastifyBaseLogger
  closing: Closing
  /** Stops it, as something is gone that it cannot be without. */
  onLost: (reason: string) => void
  /** Adds what is to be read again when the server is told to. */
  onReload: (read: () => Promise<void>) => void
  signal: AbortSignal
}

/** Says from elsewhere what signals say. */
export interface Told {
  onStop(stop: () => void): void
  onReload(reload: () => void): void
}

/**
 * Starts something and runs it until SIGTERM or SIGINT, or its terminal is closed; resolves once nothing of it is left. Rejects
 * when it cannot start, or was lost.
 */
export async function run(
  log: FastifyBaseLogger,
  start: (running: Running) => Promise<void>,
  told?: Told,
): Promise<void> {
  const reload = createReload()
  const stopSignal = onStopSignal(reload.now)
  told?.onStop(stopSignal.stop)
  told?.onReload(reload.now)
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
