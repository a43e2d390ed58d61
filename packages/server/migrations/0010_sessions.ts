import { type Kysely, sql } from 'kysely'

/**
 * Creates the tables that console sign-in needs: sessions, two-factor authentication, passkeys, and unfinished
 * sign-ins.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table account
      add column totp_enabled boolean not null default false,
      add column updated timestamptz(3) not null default now()`.execute(db)

  // An `account` in better-auth is a way for a user to authenticate. The password stays in our table, because releases
  // without sessions still set it. The view is updatable, so changes to it reach that table.
  await sql`
    create view account_password as
    select id, id as account_id, id as subject, 'credential'::text collate "C" as provider, password_hash, created, updated
    from account where password_hash is not null`.execute(db)

  await sql`
    create table session (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      token text collate "C" not null,
      created timestamptz(3) not null default now(),
      updated timestamptz(3) not null default now(),
      expires timestamptz(3) not null,
      address text collate "C",
      agent text collate "C",
      primary key (account_id, id)
    )`.execute(db)
  // A request contains its session's token but no account, so the index finds a session by its token alone.
  await sql`create unique index session_token on session (token)`.execute(db)
  await sql`create index session_by_expiry on session (expires)`.execute(db)
  await sql`comment on column session.token is
    'Useless by itself: the cookie contains the token with a signature whose key is not in the database'`.execute(db)

  await sql`
    create table account_totp (
      account_id text collate "C" primary key references account (id) on delete cascade,
      id text collate "C" not null unique,
      encrypted_secret text collate "C" not null,
      encrypted_backup_codes text collate "C" not null,
      verified boolean not null default false,
      failed integer not null default 0,
      locked_until timestamptz(3)
    )`.execute(db)

  await sql`
    create table passkey (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null unique,
      name text collate "C",
      credential_id text collate "C" not null unique,
      public_key text collate "C" not null,
      -- The counter can be up to 2^32 - 1. The driver returns this type as a number, and bigint as a string.
      counter double precision not null,
      device_type text collate "C" not null,
      backed_up boolean not null,
      transports text collate "C",
      aaguid text collate "C",
      created timestamptz(3) not null default now(),
      primary key (account_id, id)
    )`.execute(db)

  // These rows have no account, because most of them are written before the user has signed in.
  await sql`
    create table sign_in_step (
      id text collate "C" primary key,
      identifier text collate "C" not null,
      value text collate "C" not null,
      created timestamptz(3) not null default now(),
      updated timestamptz(3) not null default now(),
      expires timestamptz(3) not null
    )`.execute(db)
  await sql`create index sign_in_step_identifier on sign_in_step (identifier)`.execute(db)
  await sql`create index sign_in_step_by_expiry on sign_in_step (expires)`.execute(db)

  await sql`
    create table sign_in_tries (
      subject text collate "C" primary key,
      tries integer not null,
      ends timestamptz(3) not null
    )`.execute(db)
  await sql`create index sign_in_tries_by_end on sign_in_tries (ends)`.execute(db)
}
