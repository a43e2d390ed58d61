import { performance } from 'node:perf_hooks'
import { boundedMap } from '../../lib/bounded-map.ts'
import type { FacetRow } from './facets.queries.ts'

/** Caches the counts of recent requests, because several users often request the same counts at the same time. */
export interface FacetCache {
  /**
   * Returns counts that are up to 10 seconds old. Except for the time, the key must contain every argument of the
   * count, including the conditions that restrict the caller.
   */
  get(key: string, count: () => Promise<FacetRow[]>): Promise<FacetRow[]>
}

const MAX_AGE_MS = 10_000
/** A request has at most 8 names with 100 values of 200 characters, so the cached values need at most 64 MB. */
const MAX_ENTRIES = 100

interface Counted {
  rows: Promise<FacetRow[]>
  startedAt: number
}

export function createFacetCache(now: () => number = () => performance.now()): FacetCache {
  const entries = boundedMap<string, Counted>(MAX_ENTRIES)
  return {
    get(key, count) {
      const found = entries.get(key)
      if (found !== undefined && now() - found.startedAt < MAX_AGE_MS) return found.rows
      const counted: Counted = { rows: count(), startedAt: now() }
      entries.set(key, counted)
      counted.rows.catch(() => {
        if (entries.get(key) === counted) entries.delete(key)
      })
      return counted.rows
    },
  }
}
