import type { Event } from '../event.ts'

export interface FeedEvent extends Event {
  accountId: string
  /** Approximate size in memory. */
  bytes: number
}
