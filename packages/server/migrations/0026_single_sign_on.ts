import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Adds single sign-on: attempts to sign in, and the provider's data about people and sessions. */
export const steps: readonly Step[] = [
  { change: 'single sign-on', run: createTables },
  { index: 'role_groups', on: 'role', as: 'using gin (groups)' },
]

async function createTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session
      add column method text collate "C",
      add column ends timestamptz(3)`.execute(db)
  await sql`comment on column session.method is
    'How the person signed in; null if that was not recorded, which counts as a password'`.execute(db)
  await sql`comment on column session.ends is
    'When the session ends even if it is used; null for never'`.execute(db)

  await sql`
    alter table person_identity
      add column email text collate "C",
      add column last_used timestamptz(3)`.execute(db)
  await sql`comment on column person_identity.email is
    'The address that the provider stated last, to notice a change'`.execute(db)

  await sql`
    create table sso_session (
      account_id text collate "C" not null,
      session_id text collate "C" not null,
      issuer text collate "C" not null,
      subject text collate "C" not null,
      sid text collate "C",
      encrypted_id_token bytea,
      primary key (account_id, session_id),
      foreign key (account_id, session_id) references session (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index sso_session_by_subject on sso_session (issuer, subject)`.execute(db)
  await sql`create index sso_session_by_sid on sso_session (issuer, sid) where sid is not null`.execute(db)
  await sql`comment on column sso_session.account_id is 'A person, as in session'`.execute(db)
  await sql`comment on column sso_session.sid is 'How the provider identifies the session when it ends there'`.execute(
    db,
  )

  // An attempt belongs to no account.
  await sql`
    create table sso_attempt (
      id text collate "C" primary key,
      browser_hash bytea not null,
      verifier text collate "C" not null,
      nonce text collate "C" not null,
      return_to text collate "C" not null,
      invitation_hash bytea,
      person_id text collate "C",
      expires timestamptz(3) not null
    )`.execute(db)
  await sql`create index sso_attempt_by_expiry on sso_attempt (expires)`.execute(db)
  await sql`comment on column sso_attempt.id is 'SHA-256 of the state, so that a copy of the row cannot complete the attempt'`.execute(
    db,
  )
  await sql`comment on column sso_attempt.person_id is
    'The signed-in person who links an identity; null for a sign-in'`.execute(db)
}
