import type { ResolvedFilter } from '@muster/filter'
import { sql } from 'kysely'
import type { Viewer } from '../../../viewer.ts'
import type { Sql } from '../../filters/sql/filter-scope.ts'
import { isEachInside } from '../../filters/sql/reachable-devices.ts'
import type { BulkJob } from '../bulk-job.ts'

export type Creator = { accessKey: string } | { personId: string }

/** Returns the creator whose jobs a restricted caller sees, or undefined for a caller who sees every job. */
export function creatorSeenBy({ accountId, restriction, accessKey, personId }: Viewer): Creator | undefined {
  if (restriction === undefined) return undefined
  return accessKey === undefined ? { personId: personId ?? accountId } : { accessKey }
}

export function isCreator(
  { accountId, accessKey, personId }: Viewer,
  { createdBy, actorId }: Pick<BulkJob, 'createdBy' | 'actorId'>,
): boolean {
  if (accessKey === undefined) return createdBy.kind === 'console' && actorId === (personId ?? accountId)
  return createdBy.kind === 'accessKey' && createdBy.id === accessKey
}

export function isCreatedBy(creator: Creator | undefined): Sql {
  if (creator === undefined) return sql`true`
  return 'accessKey' in creator
    ? sql`created_by ->> 'kind' = 'accessKey' and created_by ->> 'id' = ${creator.accessKey}`
    : sql`created_by ->> 'kind' = 'console' and actor_id = ${creator.personId}`
}

/**
 * A restricted caller sees the items of the devices that the caller can reach. The caller also sees items whose device
 * does not exist, such as rejected rows. In addition, the caller sees items that the job rejected with NOT_FOUND or
 * skipped with GONE.
 */
export function isVisibleItem(accountId: string, inside: ResolvedFilter | undefined): Sql {
  if (inside === undefined) return sql`true`
  return sql`(${isEachInside(accountId, inside, sql`item.device_id`)} or item.code = 'NOT_FOUND' or item.reason = 'GONE'
    or not exists (select from device where account_id = ${accountId} and id = item.device_id))`
}
