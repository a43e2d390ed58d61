import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { hasPreviousRelease } from './leases.queries.ts'

/**
 * Throws UNAVAILABLE while a server of the previous release is running, because such a server does not know the rules
 * for the change. `what` names the change in the error message, such as "changing signInPolicy".
 */
export async function assertNoPreviousRelease(db: Database, what: string): Promise<void> {
  if (!(await hasPreviousRelease(db))) return
  const message = `${what} is not possible while a server of the previous release is running: retry after the upgrade`
  throw new ApiError('UNAVAILABLE', message)
}
