import { type Clocks, earlierOf } from '../../db/clocks.ts'
import type { Database } from '../../db/database.ts'
import { createPartitionsByBothClocks, dropEventPartitions } from '../../db/event-partitions.ts'
import { defineChore } from '../../jobs/job.ts'

export const partitionsJob = defineChore('events.partitions')

const DAY_MS = 86_400_000

export interface PartitionsOptions {
  clocks: Clocks
  /** The minimum number of days to keep events. 0 means forever. */
  retention: number
}

/**
 * Creates missing partitions, and drops partitions that are older than the retention period. Returns the names of the
 * dropped partitions.
 */
export async function keepPartitions(db: Database, { clocks, retention }: PartitionsOptions): Promise<string[]> {
  await createPartitionsByBothClocks(db, clocks)
  return retention === 0 ? [] : dropEventPartitions(db, new Date(earlierOf(clocks).getTime() - retention * DAY_MS))
}
