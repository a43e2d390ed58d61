import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { readClocks } from '../../db/clocks.ts'
import { createDatabase, type Database } from '../../db/database.ts'
import { createPartitionsByBothClocks } from '../../db/event-partitions.ts'
import { createPool } from '../../db/pool/create-pool.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { findOwner } from './accounts.queries.ts'

export type InstallationEventType = Extract<
  EventTypeName,
  'BACKUP_CREATE' | 'BACKUP_RESTORE' | 'MASTER_KEY_ROTATE' | 'USER_REMOVE'
>

export interface InstallationEvent extends Pick<NewEvent, 'data'> {
  type: InstallationEventType
  targets?: NewEvent['targets']
}

export interface RecordDeps {
  db: Database
  log: Pick<FastifyBaseLogger, 'warn'>
}

/**
 * Records an event in the event log of the installation's owner, unless there is no owner. Call this function after the
 * operation. The function logs errors instead of throwing them, because the operation is already complete.
 */
export async function recordInstallationEvent(
  { db, log }: RecordDeps,
  { type, targets = [], data }: InstallationEvent,
): Promise<void> {
  try {
    const owner = await findOwner(db)
    if (owner === undefined) return
    // Servers create partitions only three months ahead. If all servers have been stopped for more than three months,
    // the partition of the current month may be missing.
    await createPartitionsByBothClocks(db, await readClocks(db, new Date()))
    const viewer = { accountId: owner.id, email: owner.email, readOnly: false, isServer: true }
    await recordEvents(db, { viewer }, [{ type, targets, data }])
  } catch (error) {
    log.warn({ err: error, type }, 'the operation is complete, but its event could not be recorded')
  }
}

const STATEMENT_MS = 30_000

/** Records an event over a new connection, for callers without an open connection to the database. */
export async function recordOverConnection(
  connection: pg.PoolConfig,
  log: RecordDeps['log'],
  event: InstallationEvent,
): Promise<void> {
  const db = createDatabase(createPool({ connection, size: 1, statementTimeout: STATEMENT_MS }))
  await recordInstallationEvent({ db, log }, event)
  await db.destroy()
}
