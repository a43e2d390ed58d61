import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Creates the table of command-line sign-ins, which a person must approve. */
export const steps: readonly Step[] = [{ change: 'command-line sign-in', run: createTable }]

async function createTable(db: Kysely<unknown>): Promise<void> {
  // A request belongs to no account until a person approves it.
  await sql`
    create table command_line_request (
      id text collate "C" primary key,
      user_code text collate "C" not null unique,
      public_key text collate "C" not null,
      machine text collate "C" not null,
      address text collate "C" not null,
      port integer,
      expires timestamptz(3) not null,
      polled timestamptz(3),
      denied timestamptz(3),
      chosen_account text collate "C",
      person_id text collate "C",
      session_id text collate "C",
      code_hash bytea,
      claimed timestamptz(3),
      access_key text collate "C"
    )`.execute(db)
  await sql`create index command_line_request_by_expiry on command_line_request (expires)`.execute(db)
  await sql`comment on column command_line_request.id is
    'SHA-256 of the device code, so that a copy of the row cannot get the key'`.execute(db)
  await sql`comment on column command_line_request.port is
    'The port to which the browser returns on the machine; null if the person types the code'`.execute(db)
  await sql`comment on column command_line_request.code_hash is
    'SHA-256 of the code that the browser takes to the machine'`.execute(db)
  await sql`comment on column command_line_request.claimed is
    'When a poll began to create the key, so that only one poll does'`.execute(db)
}
