import { performance } from 'node:perf_hooks'
import type { Database } from '../db/database.ts'
import type { AccountSize } from '../graphql/cost/scanned-row-estimate.ts'
import { boundedMap } from '../lib/bounded-map.ts'
import { readAccountSize } from './account-sizes.queries.ts'

export interface AccountSizes {
  /** Returns undefined if the size is not cached or is outdated. The caller must then call `read`. */
  known(accountId: string): AccountSize | undefined
  read(accountId: string): Promise<AccountSize>
}

const CACHE_MS = 60_000
const ACCOUNTS = 10_000

interface KnownSize {
  readonly reading: Promise<AccountSize>
  readonly readAt: number
  size: AccountSize | undefined
}

export function createAccountSizes(db: Database, now: () => number = () => performance.now()): AccountSizes {
  const sizes = boundedMap<string, KnownSize>(ACCOUNTS)

  const current = (accountId: string): KnownSize | undefined => {
    const found = sizes.get(accountId)
    return found !== undefined && now() - found.readAt < CACHE_MS ? found : undefined
  }

  return {
    known: (accountId) => current(accountId)?.size,
    read(accountId) {
      const found = current(accountId)
      if (found !== undefined) return found.reading
      const entry: KnownSize = { reading: readAccountSize(db, accountId), readAt: now(), size: undefined }
      sizes.set(accountId, entry)
      entry.reading.then(
        (size) => {
          entry.size = size
        },
        () => {
          if (sizes.get(accountId) === entry) sizes.delete(accountId)
        },
      )
      return entry.reading
    },
  }
}
