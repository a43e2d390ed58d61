import { type Kysely, sql } from 'kysely'

/** Creates the tables of access keys and of the nonces of signed requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table access_key (
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
      primary key (account_id, key),
      check ((encrypted_secret is null) <> (public_key is null))
    )`.execute(db)
  // A request names its key but no account, so this index finds a key by its ID alone.
  await sql`create unique index access_key_key on access_key (key)`.execute(db)

  await sql`
    create table used_nonce (
      key text collate "C" not null,
      nonce text collate "C" not null,
      expires timestamptz(3) not null,
      primary key (key, nonce)
    )`.execute(db)
  await sql`create index used_nonce_by_expiry on used_nonce (expires)`.execute(db)
}
