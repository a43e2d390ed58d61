import { type Kysely, sql } from 'kysely'

/** Records, for 24 hours, the requests with an Idempotency-Key that created something. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table idempotency_record (
      account_id text collate "C" not null references account (id) on delete cascade,
      caller text collate "C" not null,
      key text collate "C" not null,
      fingerprint bytea not null,
      created_kind text collate "C" not null,
      created_id text collate "C" not null,
      response text collate "C",
      expires timestamptz(3) not null,
      primary key (account_id, caller, key)
    )`.execute(db)
  await sql`create index idempotency_record_by_expiry on idempotency_record (expires)`.execute(db)
  await sql`comment on column idempotency_record.caller is 'An access key, or "session " and the ID of a session'`.execute(
    db,
  )
  await sql`comment on column idempotency_record.response is
    'The data of the response as JSON; null if it contained a secret or was too large'`.execute(db)
}
