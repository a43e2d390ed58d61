import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/**
 * People sign in and are members of accounts. Each existing account gets an owner: a person with the account's ID.
 * Sessions, passkeys, and events therefore refer to the right person without a change. Servers of the previous release
 * still read and write the account, so triggers copy changes between account and person until the next release.
 */
export const steps: readonly Step[] = [
  { change: 'tables of people', run: createTables },
  { change: 'accounts and people stay equal', run: createTriggers },
  { backfill: 'every account has a person who owns it', batch: addFounders },
  { change: 'sessions and credentials belong to people', run: addReferences },
  { change: 'sessions and credentials refer to people who exist', run: validateReferences },
  { change: 'sessions and credentials no longer belong to accounts', run: dropReferences },
]

async function createTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table person (
      id text collate "C" primary key,
      email text collate "C" not null,
      email_confirmed boolean not null default false,
      name text collate "C",
      password_hash text collate "C",
      totp_enabled boolean not null default false,
      created timestamptz(3) not null default now(),
      updated timestamptz(3) not null default now(),
      disabled timestamptz(3),
      removed timestamptz(3),
      last_account text collate "C",
      ui jsonb not null default '{}'
    )`.execute(db)
  await sql`create unique index person_email on person (lower(email)) where removed is null`.execute(db)
  await sql`comment on table person is 'People who can sign in. Devices, keys, and other data belong to accounts'`.execute(
    db,
  )
  await sql`comment on column person.email_confirmed is
    'Whether the operator, an email, or the identity provider confirmed that the address is the person''s'`.execute(db)
  await sql`comment on column person.removed is
    'The time when the person was removed from the installation. The row remains, because events refer to it'`.execute(
    db,
  )
  await sql`comment on column person.last_account is
    'The account that requests with a session use unless they name another account'`.execute(db)
  await sql`comment on column person.ui is 'Settings of the console. In requests with a session, they replace the group $ui of the account'`.execute(
    db,
  )

  await sql`
    create view person_password as
    select id, id as person_id, id as subject, 'credential'::text collate "C" as provider, password_hash, created, updated
    from person where password_hash is not null`.execute(db)

  await sql`
    create table person_identity (
      issuer text collate "C" not null,
      subject text collate "C" not null,
      person_id text collate "C" not null references person (id) on delete cascade,
      created timestamptz(3) not null default now(),
      primary key (issuer, subject)
    )`.execute(db)
  await sql`create index person_identity_person on person_identity (person_id)`.execute(db)
  await sql`comment on table person_identity is 'How an identity provider identifies a person'`.execute(db)

  await sql`
    alter table account
      add column founder_id text collate "C" references person (id) on delete set null,
      add column contact_email text collate "C",
      add column contact_name text collate "C",
      add column sign_in_policy text collate "C",
      add column key_policy jsonb`.execute(db)
  await sql`comment on column account.founder_id is
    'The person for whom the account was created. Null if that person has the ID of the account'`.execute(db)
  await sql`comment on column account.contact_email is
    'The email address of the account. Null if email, the address of the founder, applies'`.execute(db)
  await sql`comment on column account.contact_name is
    'The name of the account, or empty if it has none. Null if name, the name of the founder, applies'`.execute(db)

  await sql`
    alter table access_key
      add column made_by text collate "C",
      add column kind text collate "C" not null default 'account',
      add column permissions text[] collate "C"`.execute(db)
  await sql`comment on column access_key.made_by is
    'The person who created the key, or null if the key is older than this column'`.execute(db)
  await sql`comment on column access_key.permissions is
    'Null for the permissions of keys that were created before permissions existed. Never fewer than these, because servers of the previous release do not read the column'`.execute(
    db,
  )
  await sql`comment on column access_key.kind is
    'account or personal. A personal key is deleted when the membership of its creator ends'`.execute(db)

  await sql`
    create table role (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      name text collate "C",
      permissions text[] collate "C",
      groups text[] collate "C" not null default '{}',
      created timestamptz(3) not null default now(),
      primary key (account_id, id)
    )`.execute(db)
  await sql`create unique index role_name on role (account_id, lower(name collate "und-x-icu"))`.execute(db)
  await sql`comment on table role is
    'Custom roles. A row named viewer, operator, admin, or owner has only the groups of that built-in role'`.execute(db)

  await sql`
    create table membership (
      account_id text collate "C" not null references account (id) on delete cascade,
      person_id text collate "C" not null references person (id) on delete cascade,
      role_id text collate "C" not null,
      source text collate "C" not null,
      created timestamptz(3) not null default now(),
      last_used timestamptz(3),
      primary key (account_id, person_id)
    )`.execute(db)
  await sql`create index membership_by_person on membership (person_id)`.execute(db)
  await sql`comment on column membership.role_id is 'viewer, operator, admin, owner, or the ID of a custom role'`.execute(
    db,
  )
  await sql`comment on column membership.source is 'invitation, group, operator, or founder'`.execute(db)

  await sql`
    create table invitation (
      account_id text collate "C" not null references account (id) on delete cascade,
      id text collate "C" not null,
      token_hash bytea not null,
      email text collate "C",
      role_id text collate "C" not null,
      created timestamptz(3) not null default now(),
      expires timestamptz(3) not null,
      inviter_id text collate "C",
      source jsonb not null,
      email_status text collate "C" not null default 'none',
      primary key (account_id, id)
    )`.execute(db)
  await sql`create unique index invitation_token on invitation (token_hash)`.execute(db)
  await sql`comment on table invitation is 'Open invitations. An invitation is deleted when a person accepts it'`.execute(
    db,
  )
  await sql`comment on column invitation.inviter_id is 'The person whose role must still allow the invitation'`.execute(
    db,
  )
  await sql`comment on column invitation.source is 'The source of the invitation, as in event.source'`.execute(db)
}

async function createTriggers(db: Kysely<unknown>): Promise<void> {
  // This release adds the person first, so the trigger acts only when a server of the previous release adds an account.
  await sql`
    create function add_founder() returns trigger language plpgsql as $$
    begin
      if new.founder_id is null and not exists (select from person where id = new.id) then
        insert into person (id, email, email_confirmed, name, password_hash, totp_enabled, created, updated, disabled, ui)
        values (new.id, new.email, true, new.name, new.password_hash, new.totp_enabled, new.created, new.updated, new.disabled,
          coalesce(new.attributes -> '$ui', '{}'));
        insert into membership (account_id, person_id, role_id, source, created)
        values (new.id, new.id, 'owner', 'founder', new.created);
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger account_insert after insert on account for each row execute function add_founder()`.execute(db)

  // The lock makes sign-ins wait for a password reset, as the lock of the account did before. In the previous release,
  // disabling an account disables its person, so the trigger copies this change unless the account has other members.
  await sql`
    create function copy_to_person() returns trigger language plpgsql as $$
    begin
      perform from person where id = new.id for update;
      update person set email = new.email, name = new.name, password_hash = new.password_hash, totp_enabled = new.totp_enabled
      where id = new.id and removed is null
        and (email, name, password_hash, totp_enabled)
          is distinct from (new.email, new.name, new.password_hash, new.totp_enabled);
      if new.disabled is distinct from old.disabled
        and not exists (select from membership where account_id = new.id and person_id <> new.id) then
        update person set disabled = new.disabled where id = new.id and disabled is distinct from new.disabled;
      end if;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger account_update after update of email, name, password_hash, totp_enabled, disabled on account
    for each row when ((old.email, old.name, old.password_hash, old.totp_enabled, old.disabled)
      is distinct from (new.email, new.name, new.password_hash, new.totp_enabled, new.disabled))
    execute function copy_to_person()`.execute(db)
  await sql`
    create function copy_to_account() returns trigger language plpgsql as $$
    begin
      update account set email = new.email, name = new.name, password_hash = new.password_hash, totp_enabled = new.totp_enabled
      where id = new.id
        and (email, name, password_hash, totp_enabled)
          is distinct from (new.email, new.name, new.password_hash, new.totp_enabled);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger person_update after update of email, name, password_hash, totp_enabled on person
    for each row when ((old.email, old.name, old.password_hash, old.totp_enabled)
      is distinct from (new.email, new.name, new.password_hash, new.totp_enabled))
    execute function copy_to_account()`.execute(db)

  await sql`
    create function remove_founder() returns trigger language plpgsql as $$
    begin
      delete from person where id = old.id and not exists (select from membership where person_id = old.id);
      return null;
    end $$`.execute(db)
  // PostgreSQL runs triggers in the order of their names. This trigger runs after the foreign keys have deleted the
  // account's memberships.
  await sql`
    create trigger account_delete after delete on account for each row execute function remove_founder()`.execute(db)
}

/** Locks the accounts. A concurrent change waits, then finds the person, and the trigger copies the change. */
async function addFounders(
  db: Kysely<unknown>,
  { after, size }: { after: string | null; size: number },
): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    with batch as (
      select id, email, name, password_hash, totp_enabled, created, updated, disabled, attributes from account
      where id > ${after ?? ''} order by id limit ${size} for no key update
    ), people as (
      insert into person (id, email, email_confirmed, name, password_hash, totp_enabled, created, updated, disabled, ui)
      select id, email, true, name, password_hash, totp_enabled, created, updated, disabled,
        coalesce(attributes -> '$ui', '{}') from batch
      on conflict do nothing
    ), members as (
      insert into membership (account_id, person_id, role_id, source, created)
      select id, id, 'owner', 'founder', created from batch
      on conflict do nothing
    )
    select max(id) as last from batch`.execute(db)
  return rows[0]?.last ?? null
}

const tables = ['session', 'account_totp', 'passkey'] as const

async function addReferences(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) {
    await sql`
      alter table ${sql.table(table)} add constraint ${sql.ref(`${table}_person`)}
      foreign key (account_id) references person (id) on delete cascade not valid`.execute(db)
    await sql`comment on column ${sql.ref(`${table}.account_id`)} is 'The ID of a person, despite the name of the column'`.execute(
      db,
    )
  }
}

async function validateReferences(db: Kysely<unknown>): Promise<void> {
  for (const table of tables)
    await sql`alter table ${sql.table(table)} validate constraint ${sql.ref(`${table}_person`)}`.execute(db)
}

async function dropReferences(db: Kysely<unknown>): Promise<void> {
  for (const table of tables)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_account_id_fkey`)}`.execute(db)
}
