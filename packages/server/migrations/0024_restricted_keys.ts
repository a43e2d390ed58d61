import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * Stores personal keys and limited keys. A limited key has fewer permissions than keys of the previous release, or is
 * limited to networks or to a share of the quota. Servers of the previous release do not know this table. They reject
 * these keys as unknown, without reading their secrets.
 */
export const steps: readonly Step[] = [{ change: 'restricted access keys', run: createTable }]

async function createTable(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table access_key
      add column source jsonb,
      add column replaced_by text collate "C"`.execute(db)
  await sql`
    create table restricted_key (
      account_id text collate "C" not null references account (id) on delete cascade,
      key text collate "C" not null,
      name text collate "C",
      enabled boolean not null default true,
      read_only boolean not null default false,
      require_digest boolean not null default false,
      algorithm text collate "C" not null,
      encrypted_secret bytea,
      public_key text collate "C",
      created timestamptz(3) not null default now(),
      expires timestamptz(3),
      last_used timestamptz(3),
      made_by text collate "C" not null,
      kind text collate "C" not null,
      permissions text[] collate "C" not null,
      networks text[] collate "C" not null default '{}',
      rate_share int not null default 100,
      source jsonb,
      replaced_by text collate "C",
      primary key (account_id, key),
      check ((encrypted_secret is null) <> (public_key is null))
    )`.execute(db)
  // A request names its key but no account, so this index finds a key by its ID alone.
  await sql`create unique index restricted_key_key on restricted_key (key)`.execute(db)
  await sql`comment on table restricted_key is
    'Keys with fewer rights than a key without permissions. Servers of the release before permissions do not find them'`.execute(
    db,
  )
  for (const table of ['access_key', 'restricted_key']) {
    await sql`comment on column ${sql.ref(`${table}.source`)} is
      'The source of the key, as in event.source. Null if the key is older than this column'`.execute(db)
    await sql`comment on column ${sql.ref(`${table}.replaced_by`)} is
      'The key that has replaced this one, if this one was rotated'`.execute(db)
  }
  await sql`comment on column restricted_key.networks is 'Networks in CIDR notation. Empty if any address is allowed'`.execute(
    db,
  )
  await sql`comment on column restricted_key.rate_share is 'The percentage of the quota of the account that this key may spend'`.execute(
    db,
  )

  await sql`
    create view every_key as
    select account_id, key, name, enabled, read_only, require_digest, algorithm, encrypted_secret, public_key, created, expires,
      last_used, made_by, kind, permissions, '{}'::text[] collate "C" as networks, 100 as rate_share, source, replaced_by,
      false as is_restricted
    from access_key
    union all
    select account_id, key, name, enabled, read_only, require_digest, algorithm, encrypted_secret, public_key, created, expires,
      last_used, made_by, kind, permissions, networks, rate_share, source, replaced_by, true
    from restricted_key`.execute(db)
}
