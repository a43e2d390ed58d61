import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { readClocks } from '../../db/clocks.ts'
import { createDatabase, createPool, type Database } from '../../db/database.ts'
import { createPartitionsByBoth } from '../../db/event-partitions.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { findOwner } from './users.queries.ts'

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
 * Records what happened to the whole installation, in the event log of its owner. Called after the operation. A failure to
 * record is only logged, since the operation is complete.
 */
export async function recordInstallationEvent(
  { db, log }: RecordDeps,
  { type, targets = [], data }: InstallationEvent,
): Promise<void> {
  try {
    const owner = await findOwner(db)
    if (owner === undefined) return
    // No server may have run this month, which a restored database shows most often.
    await createPartitionsByBoth(db, await readClocks(db, new Date()))
    const viewer = { accountId: owner.id, email: owner.email, readOnly: false, isServer: true }
    await recordEvents(db, { viewer }, [{ type, targets, data }])
  } catch (error) {
    log.warn({ err: error, type }, 'the operation is complete, but its event could not be recorded')
  }
}

const STATEMENT_MS = 30_000

/** Records over a new connection, for callers that have no database open. */
export async function recordOverConnection(
  connection: pg.PoolConfig,
  log: RecordDeps['log'],
  event: InstallationEvent,
): Promise<void> {
  const db = createDatabase(createPool({ connection, size: 1, statementTimeout: STATEMENT_MS }))
  await recordInstallationEvent({ db, log }, event)
  await db.destroy()
}
