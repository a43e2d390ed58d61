import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * Lets roles and keys be restricted to some devices or attribute names. The new column also contains the permissions.
 * For a restricted role or key, the column `permissions` is empty, so a server that does not know the new column grants
 * nothing.
 */
export const steps: readonly Step[] = [
  {
    change: 'restrictions of roles and access keys',
    async run(db: Kysely<unknown>) {
      for (const table of ['role', 'restricted_key']) {
        await sql`alter table ${sql.table(table)} add column restriction jsonb`.execute(db)
        await sql`comment on column ${sql.ref(`${table}.restriction`)} is
          'Its permissions, its own restriction, and those of the callers who created it, if it is restricted to some devices or attribute names'`.execute(
          db,
        )
      }
    },
  },
  { change: 'restrictions in the view of all keys', run: addToView },
]

/** Adds the column at the end of the view, because PostgreSQL can replace a view only if new columns come last. */
async function addToView(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace view every_key as
    select account_id, key, name, enabled, read_only, require_digest, algorithm, encrypted_secret, public_key, created, expires,
      last_used, made_by, kind, permissions, '{}'::text[] collate "C" as networks, 100 as rate_share, source, replaced_by,
      false as is_restricted, null::jsonb as restriction
    from access_key
    union all
    select account_id, key, name, enabled, read_only, require_digest, algorithm, encrypted_secret, public_key, created, expires,
      last_used, made_by, kind, permissions, networks, rate_share, source, replaced_by, true, restriction
    from restricted_key`.execute(db)
}
