import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { hasFormerServer } from './leases.queries.ts'

/**
 * Throws UNAVAILABLE while a server of the previous release is running. Such a server does not know some rules of this
 * release, so it would not apply them.
 */
export async function assertNoFormerServer(db: Database, what: string): Promise<void> {
  if (!(await hasFormerServer(db))) return
  const message = `${what} is not possible while a server of the previous release is running: retry after the upgrade`
  throw new ApiError('UNAVAILABLE', message)
}
