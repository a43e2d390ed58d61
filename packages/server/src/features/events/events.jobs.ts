import { type Clocks, earlierOf } from '../../db/clocks.ts'
import type { Database } from '../../db/database.ts'
import { createPartitionsByBoth, dropEventPartitions } from '../../db/event-partitions.ts'
import { defineChore } from '../../jobs/job.ts'

/** Makes the event log's next partitions, and drops those of months that are no longer kept. */
export const partitionsJob = defineChore('events.partitions')

const DAY_MS = 86_400_000

export interface PartitionsOptions {
  clocks: Clocks
  /** Days; 0 for ever. */
  retention: number
}

/** Answers the partitions that were dropped. */
export async function keepPartitions(db: Database, { clocks, retention }: PartitionsOptions): Promise<string[]> {
  await createPartitionsByBoth(db, clocks)
  return retention === 0 ? [] : dropEventPartitions(db, new Date(earlierOf(clocks).getTime() - retention * DAY_MS))
}
