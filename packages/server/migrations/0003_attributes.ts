import { type Kysely, sql } from 'kysely'

/**
 * Creates the table of overrides, with one row per target and context. The target's own row contains the base values.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table attribute_override (
      account_id text collate "C" not null references account (id) on delete cascade,
      target_id text collate "C" not null,
      context text collate "C" not null,
      attributes jsonb not null,
      primary key (account_id, target_id, context)
    )`.execute(db)
  await sql`create index attribute_override_by_value on attribute_override
    using gin (account_id, context, attributes jsonb_path_ops)`.execute(db)

  // The function converts nested JSON to names in the format of setAttribute. It is not strict, because PostgreSQL
  // inlines only non-strict functions of this form into queries.
  await sql`
    create function attribute_names(attributes jsonb) returns table (name text)
    language sql immutable parallel safe
    begin atomic
      select top.key from jsonb_each(attributes) as top where jsonb_typeof(top.value) = 'string'
      union all
      select top.key || '.' || member.key
      from jsonb_each(attributes) as top,
        jsonb_each(case jsonb_typeof(top.value) when 'object' then top.value end) as member
      where jsonb_typeof(member.value) = 'string';
    end`.execute(db)
  await sql`
    create function attribute_count(attributes jsonb) returns bigint
    language sql immutable strict parallel safe
    return (select count(*) from attribute_names(attributes))`.execute(db)
}
