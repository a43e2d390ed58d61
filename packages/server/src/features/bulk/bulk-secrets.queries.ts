import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { JobPlace } from './bulk-jobs.queries.ts'

export async function selectJobKey(db: Database, { accountId, id }: JobPlace): Promise<Buffer | null> {
  const { rows } = await sql<{ key: Buffer | null }>`
    select encrypted_secret as key from bulk_job where account_id = ${accountId} and id = ${id}`.execute(db)
  return rows[0]?.key ?? null
}

/**
 * Returns the job's encrypted key and deletes it. Returns null if the job has no key, has not ended, or ended before
 * `since`.
 */
export async function takeJobKey(db: Database, { accountId, id }: JobPlace, since: Date): Promise<Buffer | null> {
  const { rows } = await sql<{ key: Buffer }>`
    with present as (
      select id, encrypted_secret as key from bulk_job
      where account_id = ${accountId} and id = ${id} and finished >= ${since} and encrypted_secret is not null for update)
    update bulk_job t set encrypted_secret = null from present
    where t.account_id = ${accountId} and t.id = present.id returning present.key`.execute(db)
  return rows[0]?.key ?? null
}

export async function selectOldKeys(db: Database, before: Date, limit: number): Promise<JobPlace[]> {
  const { rows } = await sql<JobPlace>`
    select account_id as "accountId", id from bulk_job where encrypted_secret is not null and finished < ${before}
    limit ${limit}`.execute(db)
  return rows
}

export async function deleteJobKey(db: Database, { accountId, id }: JobPlace): Promise<void> {
  await sql`update bulk_job set encrypted_secret = null where account_id = ${accountId} and id = ${id}`.execute(db)
}
