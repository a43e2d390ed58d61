import type { Event } from '../event.ts'

export interface FeedEvent extends Event {
  accountId: string
  /** The approximate size in memory, in bytes. */
  bytes: number
}
