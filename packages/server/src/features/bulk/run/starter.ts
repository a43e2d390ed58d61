import { findKeyGrant } from '../../../auth/key-grant.ts'
import { rejectionOfKey } from '../../../auth/rejected-key.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { isPermitted } from '../../../permissions.ts'
import { accessOfRole, restrictionOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { withReach } from '../../restrictions/reach.ts'
import { permissionsOfJob } from '../access/job-permissions.ts'
import { assertMayRequest } from '../access/job-restrictions.ts'
import type { BulkJob, Starter } from '../bulk-job.ts'
import { filterOf } from '../preview/job-filter.ts'
import { findRoleOfStarter } from './starter.queries.ts'

export const starterOf = ({ email, personId, accessKey }: Viewer): Starter => ({
  email,
  personId: personId ?? null,
  accessKey: accessKey ?? null,
})

export type JobCaller = Pick<Viewer, 'accountId' | 'permissions' | 'restriction' | 'reach'>

interface Check {
  job: BulkJob
  now: Date
  staleMs: number
}

/** Throws FORBIDDEN if the caller who previews the job no longer has access. */
export async function callerToPreview(db: Database, accountId: string, check: Check): Promise<JobCaller> {
  const { starter } = check.job
  // Earlier releases recorded no caller. In these releases, restricted callers could not create jobs.
  if (starter === null) return { accountId }
  const caller = await findCaller(db, accountId, { ...check, starter })
  if (typeof caller === 'string') throw new ApiError('FORBIDDEN', caller)
  return caller
}

export async function callerToRun(
  db: Database,
  accountId: string,
  check: Check,
): Promise<{ caller: JobCaller; reason?: undefined } | { caller?: undefined; reason: string }> {
  const { job } = check
  if (job.starter === null) return { reason: 'the server has not recorded who started the job: call resumeBulk' }
  const caller = await findCaller(db, accountId, { ...check, starter: job.starter })
  if (typeof caller === 'string') return { reason: caller }
  const missing = permissionsOfJob(job).filter((name) => !isPermitted(caller.permissions, name))
  if (missing.length > 0)
    return {
      reason: `the caller whose permissions the job uses lacks permissions that the job needs: ${missing.join(', ')}`,
    }
  if (caller.restriction === undefined) return { caller }
  try {
    assertMayRequest(caller, job)
    filterOf(job, caller)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN')
      return { reason: `the job exceeds the restriction of the caller whose permissions it uses: ${error.message}` }
    throw error
  }
  return { caller }
}

/** Returns the current access of a caller, or the reason why the caller has no access. */
async function findCaller(
  db: Database,
  accountId: string,
  { starter: { accessKey, personId }, now, staleMs }: Omit<Check, 'job'> & { starter: Starter },
): Promise<JobCaller | string> {
  if (accessKey === null) {
    const role = await findRoleOfStarter(db, accountId, personId ?? accountId)
    if (role === undefined)
      return 'the person whose permissions the job uses is no longer an enabled member of an enabled account: another member must run the job'
    const access = accessOfRole(role.role, role)
    return withReach(db, { accountId, permissions: access.permissions, restriction: restrictionOf(access) })
  }
  const key = await findKeyGrant(db, accessKey)
  if (key?.accountId !== accountId)
    return `the access key ${accessKey}, whose permissions the job uses, no longer exists: run the job with another key`
  if (key.readOnly)
    return `the access key ${accessKey}, whose permissions the job uses, is read-only: run the job with another key`
  const rejection = rejectionOfKey(key, { now, address: undefined, staleMs })
  if (rejection !== undefined)
    return `the server rejects the access key ${accessKey}, whose permissions the job uses (reason: ${rejection.details.reason}): correct the key, or run the job with another key`
  return withReach(db, { accountId, permissions: key.permissions, restriction: key.restriction })
}

export const viewerOfJob = (accountId: string, { id, name, starter }: BulkJob): Viewer => ({
  accountId,
  email: starter?.email ?? '',
  ...(starter?.personId != null && { personId: starter.personId }),
  ...(starter?.accessKey != null && { accessKey: starter.accessKey }),
  readOnly: false,
  job: { id, name },
})
