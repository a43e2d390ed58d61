import type { Database } from '../../db/database.ts'
import { defineChore } from '../../jobs/job.ts'
import {
  deleteSamples,
  insertSample,
  joinSamples,
  SHORT_MINUTES,
  selectSampledAccounts,
} from './presence-samples.queries.ts'
import { HOURLY_DAYS, SHORT_DAYS } from './presence-samples.ts'

export const samplePresenceJob = defineChore('availability.sample-presence')

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `now` must be the database's time, because all servers must agree on the sample's time. */
export async function samplePresence(db: Database, now: Date): Promise<void> {
  const at = floor(now.getTime(), SHORT_MINUTES * 60_000)
  const joinBefore = floor(now.getTime() - SHORT_DAYS * DAY_MS, HOUR_MS)
  const deleteBefore = floor(now.getTime() - HOURLY_DAYS * DAY_MS, HOUR_MS)
  for (const accountId of await selectSampledAccounts(db)) {
    await insertSample(db, accountId, at)
    await joinSamples(db, accountId, joinBefore)
    await deleteSamples(db, accountId, deleteBefore)
  }
}

const floor = (milliseconds: number, step: number): Date => new Date(milliseconds - (milliseconds % step))
