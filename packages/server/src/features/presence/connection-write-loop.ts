import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../../db/database.ts'
import { pause } from '../../lib/pause.ts'
import type { HeldDevices } from './held-devices.ts'
import { type Lease, LeaseLost } from './lease.ts'
import { writeConnections } from './write-connection-batch.ts'

/** Writes changes to this process's connections in batches, under the process's lease. */
export interface ConnectionWriter {
  wake(): void
  /** Resolves when the current write has ended, or immediately if no write is in progress. */
  idle(): Promise<void>
}

export interface ConnectionWriterOptions {
  db: Database
  log: FastifyBaseLogger
  lease: Lease
  devices: HeldDevices
  /** A signal that, when aborted, stops the retries of failed writes. */
  closing: AbortSignal
  /** Called after a batch is written, because the batch may have recorded events. */
  onEvents?: (() => void) | undefined
}

/** How long, in milliseconds, the writer collects changes before it writes them together. */
const COLLECT_MS = 20
const RETRY_MS = 500

export function createConnectionWriter(options: ConnectionWriterOptions): ConnectionWriter {
  const { db, log, lease, devices, closing, onEvents } = options
  let isWriting = false
  let writing = Promise.resolve()
  let isFailing = false

  const wake = (): void => {
    if (isWriting || !devices.isPending()) return
    isWriting = true
    writing = writeAll().finally(() => {
      isWriting = false
      if (!closing.aborted) wake()
    })
  }

  const writeAll = async (): Promise<void> => {
    await pause(COLLECT_MS, closing)
    while (devices.isPending()) {
      if (lease.id === undefined && closing.aborted) return
      try {
        await writeBatch()
        if (isFailing) log.info('device states can be written again')
        isFailing = false
      } catch (error) {
        if (closing.aborted) return
        if (error instanceof LeaseLost) await lease.renew().catch(() => {})
        else if (!isFailing) log.warn({ err: error }, 'cannot write device states; retrying')
        isFailing = !(error instanceof LeaseLost)
        await pause(isFailing || lease.id === undefined ? RETRY_MS : 0, closing)
      }
    }
  }

  const writeBatch = async (): Promise<void> => {
    const batch = devices.next()
    const { processId, lost } = await db.transaction().execute(async (transaction) => {
      const id = await lease.lock(transaction)
      return { processId: id, lost: await writeConnections(transaction, id, batch.toWrite) }
    })
    onEvents?.()
    // If the lease was replaced during the write, all changes must be written again under the new lease.
    if (processId === lease.id) devices.confirm(batch, lost)
  }

  return { wake, idle: () => writing }
}
