import { type Kysely, sql } from 'kysely'

/** Collations and extensions that the rest stands on, the owners of everything, and what the server knows of itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  await sql`create extension if not exists btree_gin`.execute(db)

  // The order people count in: node-2 before node-10, case aside. Nondeterministic, so never a column's own collation:
  // under it 'A01' = 'A1'. It stands in ORDER BY and in index expressions only.
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
    'Top-level attribute names in contexts, each ["value" or "group", number of contexts]: what a write to the base must not contradict'`.execute(
    db,
  )

  await sql`
    create table server_setting (
      name text collate "C" primary key,
      value text collate "C" not null
    )`.execute(db)
}
