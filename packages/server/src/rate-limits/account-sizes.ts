import { performance } from 'node:perf_hooks'
import type { Database } from '../db/database.ts'
import type { AccountSize } from '../graphql/cost/row-count.ts'
import { boundedMap } from '../lib/bounded-map.ts'
import { readAccountSize } from './account-sizes.queries.ts'

/** How many records each account has, as of the last minute. */
export interface AccountSizes {
  /** A promise if the size must be read first. It rejects if the query fails. */
  sizeOf(accountId: string): AccountSize | Promise<AccountSize>
}

const KEPT_MS = 60_000
const ACCOUNTS = 10_000

interface KnownSize {
  size: AccountSize | Promise<AccountSize>
  readonly readAt: number
}

export function createAccountSizes(db: Database, now: () => number = () => performance.now()): AccountSizes {
  const known = boundedMap<string, KnownSize>(ACCOUNTS)
  return {
    sizeOf(accountId) {
      const found = known.get(accountId)
      if (found !== undefined && now() - found.readAt < KEPT_MS) return found.size
      const size = readAccountSize(db, accountId)
      const entry: KnownSize = { size, readAt: now() }
      known.set(accountId, entry)
      size.then(
        (read) => {
          entry.size = read
        },
        () => known.delete(accountId),
      )
      return size
    },
  }
}
