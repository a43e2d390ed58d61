import type { Event } from '../event.ts'

/** An event with its account, as the feed delivers it. */
export interface FeedEvent extends Event {
  accountId: string
  /** Its approximate size in memory. */
  bytes: number
}
