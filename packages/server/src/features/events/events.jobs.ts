import type { Database } from '../../db/database.ts'
import { createEventPartitions, dropEventPartitions } from '../../db/event-partitions.ts'
import { defineChore } from '../../jobs/job.ts'

/** Makes the event log's next partitions, and drops those of months that are no longer kept. */
export const partitionsJob = defineChore('events.partitions')

const DAY_MS = 86_400_000

export interface PartitionsOptions {
  now: Date
  /** Days; 0 for ever. */
  retention: number
}

/** Answers the partitions that were dropped. */
export async function keepPartitions(db: Database, { now, retention }: PartitionsOptions): Promise<string[]> {
  await createEventPartitions(db, now)
  return retention === 0 ? [] : dropEventPartitions(db, new Date(now.getTime() - retention * DAY_MS))
}
