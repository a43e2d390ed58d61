import type { Event } from '../event.ts'

/** An event with its account, as the feed hands it out. */
export interface FeedEvent extends Event {
  accountId: string
  /** What it holds in memory, about. */
  bytes: number
}
