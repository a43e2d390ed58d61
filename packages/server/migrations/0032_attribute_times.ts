import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

const tables = ['device', 'device_live', 'service', 'account', 'attribute_override']

/** Adds the times of attribute values, and the intervals at which clients are expected to write attributes. */
export const steps: readonly Step[] = [
  ...tables.map((table): Step => ({ change: `times of values in ${table}`, run: (db) => addTimes(db, table) })),
  { change: 'functions that read the times of values', run: createFunctions },
  { change: 'expected intervals', run: createFreshness },
  { change: 'the start of the times of values', run: createStart },
]

async function addTimes(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`alter table ${sql.table(table)} add column attribute_times jsonb not null default '{}'`.execute(db)
  await sql`comment on column ${sql.ref(`${table}.attribute_times`)} is
    'By name, as in setAttribute: when the value last changed, in milliseconds since 1970, or an array of that time and of the last write'`.execute(
    db,
  )
}

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  // PostgreSQL would not inline these functions if they were strict.
  await sql`
    create function attribute_changed(times jsonb, name text) returns bigint
    language sql immutable parallel safe
    return (case jsonb_typeof(times -> name) when 'array' then times -> name ->> 0 else times ->> name end)::bigint`.execute(
    db,
  )
  await sql`
    create function attribute_confirmed(times jsonb, name text) returns bigint
    language sql immutable parallel safe
    return (case jsonb_typeof(times -> name) when 'array' then times -> name ->> 1 else times ->> name end)::bigint`.execute(
    db,
  )
}

async function createFreshness(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table freshness (
      account_id text collate "C" not null references account (id) on delete cascade,
      name text collate "C" not null,
      seconds integer not null,
      primary key (account_id, name)
    )`.execute(db)
  await sql`comment on table freshness is 'The attribute names that clients are expected to write at an interval'`.execute(
    db,
  )
}

async function createStart(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table attribute_times_start (
      is_only boolean primary key default true check (is_only),
      since timestamptz(3) not null,
      is_mixed boolean not null
    )`.execute(db)
  await sql`comment on table attribute_times_start is
    'The time from which every server process records the times of attribute values. Older values have this time'`.execute(
    db,
  )
  await sql`comment on column attribute_times_start.is_mixed is
    'Whether processes of the previous release were running at that time'`.execute(db)
  await sql`
    insert into attribute_times_start (since, is_mixed)
    values (clock_timestamp(), exists (select from server_process where release is null))`.execute(db)
}
