import { isPermitted, namesIn } from '../../../access.ts'
import { findKeyGrant } from '../../../auth/key-grant.ts'
import { rejectionOfKey } from '../../../auth/rejected-key.ts'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { accessOfRole, restrictionOf } from '../../../restriction.ts'
import type { Viewer } from '../../../viewer.ts'
import { type BulkJob, permissionsOfJob, type Starter } from '../bulk-job.ts'
import { findRoleOfStarter } from './starter.queries.ts'

/** Throws FORBIDDEN if the caller lacks a permission that a job's operations need. */
export function assertMayRun({ permissions }: Viewer, job: Pick<BulkJob, 'operations' | 'target'>): void {
  const missing = permissionsOfJob(job).filter((name) => !isPermitted(permissions, name))
  if (missing.length === 0) return
  const needs = missing.map((permission) => ({ field: 'BulkJob.operations', permission }))
  throw new ApiError('FORBIDDEN', `the operations of this bulk job need the permission ${missing.join(', ')}`, {
    reason: 'permission',
    missing: needs,
  })
}

export const starterOf = ({ email, personId, accessKey }: Viewer): Starter => ({
  email,
  personId: personId ?? null,
  accessKey: accessKey ?? null,
})

/** Returns the reason why a job must not run with its starter's permissions, if any. */
export async function reasonNotToRun(
  db: Database,
  accountId: string,
  { job, ...at }: { job: BulkJob; now: Date; staleMs: number },
): Promise<string | undefined> {
  const { starter } = job
  if (starter === null) return 'the job has no starter'
  const granted = await permissionsOf(db, accountId, { starter, ...at })
  if (typeof granted === 'string') return granted
  const missing = permissionsOfJob(job).filter((name) => !namesIn(granted).includes(name))
  return missing.length === 0 ? undefined : `the starter of the job lacks the permission ${missing.join(', ')}`
}

/** Returns the current permissions of a starter, or the reason why there are none. */
async function permissionsOf(
  db: Database,
  accountId: string,
  { starter: { accessKey, personId }, now, staleMs }: { starter: Starter; now: Date; staleMs: number },
): Promise<number | string> {
  if (accessKey !== null) {
    const key = await findKeyGrant(db, accessKey)
    if (key?.accountId !== accountId) return `the access key ${accessKey} that started the job no longer exists`
    if (key.readOnly) return `the access key ${accessKey} that started the job is read-only`
    const rejection = rejectionOfKey(key, { now, address: undefined, staleMs })
    if (rejection !== undefined)
      return `the access key ${accessKey} that started the job is rejected: ${rejection.message}`
    return key.restriction === undefined
      ? key.permissions
      : `the access key ${accessKey} that started the job is restricted to some devices`
  }
  const role = await findRoleOfStarter(db, accountId, personId ?? accountId)
  if (role === undefined) return 'the person who started the job is no longer a member'
  const access = accessOfRole(role.role, role)
  return restrictionOf(access) === undefined
    ? access.permissions
    : 'the role of the person who started the job is restricted to some devices'
}

/** The viewer on whose behalf a job changes devices. */
export const viewerOfJob = (accountId: string, { id, name, starter }: BulkJob): Viewer => ({
  accountId,
  email: starter?.email ?? '',
  ...(starter?.personId != null && { personId: starter.personId }),
  ...(starter?.accessKey != null && { accessKey: starter.accessKey }),
  readOnly: false,
  job: { id, name },
})
