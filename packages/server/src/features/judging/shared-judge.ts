import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { ApiError, badInput } from '../../errors.ts'
import { namesOf } from '../../restriction.ts'
import type { Viewer } from '../../viewer.ts'
import { viewsIn } from '../views/apply-view.ts'
import { resolveSelection, type StoredSelection, storedFilter } from './device-selection.ts'
import { type JudgedEvent, judgeEvents } from './judge.ts'
import type { Selection } from './needs.ts'

export interface EventJudge {
  /** Aborted when a view of the selection can no longer be used. The signal's reason is the error. */
  readonly signal: AbortSignal
  passing(events: readonly JudgedEvent[]): Promise<Set<string>>
  close(): void
}

interface SharedJudge {
  judge: Omit<EventJudge, 'close'>
  users: number
  close: () => void
}

/**
 * The judges in use, by owner, and then by account, selection, and limits on attribute names. The owner separates the
 * servers that tests run in one process.
 */
const inUse = new WeakMap<object, Map<string, SharedJudge>>()

export interface JudgeOptions {
  db: Database
  /** Only subscriptions with the same owner share judges. */
  owner: object
  /** The caller's restriction to attribute names applies to the filter. */
  viewer: Pick<Viewer, 'accountId' | 'restriction' | 'reach'>
  selection: StoredSelection
}

/**
 * Opens a judge, which must be closed after use. Two subscriptions of an account share a judge and its results if they
 * have the same selection. In addition, their callers must be either both unrestricted, or both restricted with the
 * same limits on attribute names. Throws the same errors as `resolveSelection`.
 */
export async function openJudge(options: JudgeOptions): Promise<EventJudge> {
  const { db, owner, viewer, selection } = options
  const resolved = await resolveSelection({ db, viewer }, selection)
  const ofOwner = inUse.get(owner) ?? new Map<string, SharedJudge>()
  inUse.set(owner, ofOwner)
  const reader = viewer.restriction === undefined ? 'all' : (namesOf(viewer) ?? 'restricted')
  const key = JSON.stringify([viewer.accountId, selection, reader])
  const existing = ofOwner.get(key)
  // A judge whose view became invalid can still be in use after the view has been repaired.
  const shared = existing?.judge.signal.aborted === false ? existing : createJudge(options, resolved)
  ofOwner.set(key, shared)
  shared.users++
  let isClosed = false
  return {
    signal: shared.judge.signal,
    passing: shared.judge.passing,
    close() {
      if (isClosed) return
      isClosed = true
      shared.users--
      if (shared.users > 0) return
      shared.close()
      if (ofOwner.get(key) === shared) ofOwner.delete(key)
    },
  }
}

/** The interval, in milliseconds, at which views are read again, so that changes take effect within a second. */
const REFRESH_MS = 600
/** The maximum number of events whose results are kept for other subscriptions. */
const KEPT = 5_000

function createJudge({ db, viewer, selection }: JudgeOptions, resolved: Selection): SharedJudge {
  const closing = new AbortController()
  const broken = new AbortController()
  const results = new Map<string, Promise<boolean>>()
  let current = resolved

  const refresh = async (): Promise<void> => {
    while (!closing.signal.aborted && !broken.signal.aborted) {
      await sleep(REFRESH_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      if (closing.signal.aborted) return
      try {
        current = await resolveSelection({ db, viewer }, selection)
      } catch (error) {
        const reason = reasonToEnd(error)
        if (reason !== undefined) broken.abort(reason)
      }
    }
  }
  if (usesView(selection)) void refresh()

  const judge = (events: readonly JudgedEvent[]): void => {
    const passing = judgeEvents(db, viewer.accountId, { selection: current, events })
    for (const { id } of events) {
      const result = passing.then((ids) => ids.has(id))
      results.set(id, result)
      // Failed evaluations are not kept, so the next call evaluates the event again.
      result.catch(() => results.delete(id))
    }
  }

  return {
    judge: {
      signal: broken.signal,
      async passing(events) {
        const unknown = events.filter(({ id }) => !results.has(id))
        if (unknown.length > 0) judge(unknown)
        const found = await Promise.all(events.map(async ({ id }) => ((await results.get(id)) ? [id] : [])))
        for (const id of results.keys()) {
          if (results.size <= KEPT) break
          results.delete(id)
        }
        return new Set(found.flat())
      },
    },
    users: 0,
    close: () => closing.abort(),
  }
}

const usesView = (selection: StoredSelection): boolean => {
  const filter = storedFilter(selection)?.filter
  return selection.viewId !== null || (filter !== undefined && viewsIn(filter).length > 0)
}

/** Returns the error with which the judge's subscriptions end, or undefined if `error` does not concern a view. */
function reasonToEnd(error: unknown): ApiError | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'CONFLICT') return badInput(error.message)
  return ['NOT_FOUND', 'BAD_USER_INPUT', 'LIMIT_EXCEEDED', 'FORBIDDEN'].includes(error.code) ? error : undefined
}
