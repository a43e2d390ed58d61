import { type Kysely, sql } from 'kysely'

/**
 * Creates the table of the codes with which devices register themselves, and adds the time until which a device may
 * register again without its secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table registration_code (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      code_hash bytea not null,
      prefix text collate "C" not null,
      name text collate "C",
      platform text collate "C",
      services jsonb not null default '[]',
      attributes jsonb not null default '{}',
      uses integer not null,
      used integer not null default 0,
      created timestamptz(3) not null default now(),
      expires timestamptz(3) not null,
      primary key (account_id, id),
      check (used <= uses)
    )`.execute(db)
  // A device sends only the code, so this index finds a code by its hash alone.
  await sql`create unique index registration_code_hash on registration_code (code_hash)`.execute(db)
  await sql`create index registration_code_by_expiry on registration_code (expires)`.execute(db)

  await sql`alter table device add column reregister_until timestamptz(3)`.execute(db)
}
