import type { Database } from '../database.ts'
import { isStandbyFailure } from '../database-errors.ts'
import type { ReadRouter } from '../replica/read-router.ts'

/** The worker that stores an account. */
export interface AccountWorker {
  db: Database
  /** The coordinator, through connections that are used only to assign event IDs. */
  eventIds: Database
  /** Reports an error of a statement on the worker. Has an effect only if `isStandbyFailure` returns true for it. */
  failed(error: unknown): void
}

/**
 * Returns a function that chooses the account's worker for a transaction, or returns undefined if the server uses no
 * workers. The function resolves to undefined if the worker is unavailable. `viewOf` returns the caller's view of a
 * worker's database.
 */
export function workerChooser(
  router: ReadRouter | undefined,
  accountId: string,
  viewOf: (db: Database) => Database = (db) => db,
): (() => Promise<AccountWorker | undefined>) | undefined {
  if (router?.chooseWriter === undefined) return undefined
  return async () => {
    const connections = await router.chooseWriter?.(accountId)
    if (connections === undefined) return undefined
    const { worker, eventIds } = connections
    return {
      db: viewOf(worker),
      eventIds,
      failed(error) {
        if (isStandbyFailure(error)) router.failed(worker, error)
      },
    }
  }
}
