import { type Kysely, sql } from 'kysely'

/**
 * Creates the extensions and the collation that later migrations use, the accounts that own all data, and the server's
 * settings.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create extension if not exists btree_gin`.execute(db)

  // This order ignores case and compares digits as numbers, so node-2 comes before node-10. The collation is
  // nondeterministic ('A01' = 'A1'), so no column may have it. Use it only in ORDER BY and index expressions.
  await sql`create collation natural_order (provider = icu, locale = 'und-u-kn-true-ks-level2', deterministic = false)`.execute(
    db,
  )

  await sql`
    create table account (
      id text collate "C" primary key,
      email text collate "C" not null,
      name text collate "C",
      password_hash text collate "C",
      created timestamptz(3) not null default now(),
      attributes jsonb not null default '{}',
      override_names jsonb not null default '{}'
    )`.execute(db)
  await sql`create unique index account_email on account (lower(email))`.execute(db)

  await sql`comment on column account.override_names is
    'Top-level attribute names in contexts, each with ["value" or "group", number of contexts]. A write to the base must not contradict them'`.execute(
    db,
  )

  await sql`
    create table server_setting (
      name text collate "C" primary key,
      value text collate "C" not null
    )`.execute(db)
}
