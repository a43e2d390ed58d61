import { type Kysely, sql } from 'kysely'
import type { Step } from '../src/db/migration.ts'

/** Lets filters compare values as numbers and times, and indexes services and hardware IDs. */
export const steps: readonly Step[] = [
  { change: 'values can be compared as numbers and times', run: createFunctions },
  {
    index: 'service_by_port',
    on: 'service',
    as: '(account_id, port, device_id) where port is not null',
  },
  { index: 'service_attributes', on: 'service', as: 'using gin (account_id, attributes jsonb_path_ops)' },
  {
    index: 'device_hardware_part',
    on: 'device',
    as: 'using gin (account_id, lower(hardware_id collate "und-x-icu") gin_trgm_ops)',
  },
]

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function attribute_number(value text) returns numeric
    language sql immutable strict parallel safe
    return case
      when octet_length(value) <= 40
        and value collate "C" ~ '^[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]{1,2})?$'
      then value::numeric
    end`.execute(db)
  await sql`comment on function attribute_number is
    'The value as an exact number. Null if the value is not a number or has more than 40 bytes'`.execute(db)
  // The pattern accepts only ISO 8601. The settings DateStyle and TimeZone therefore have no effect, and the function
  // is immutable.
  await sql`
    create function attribute_time(value text) returns timestamptz
    language plpgsql immutable strict parallel safe as $$
    begin
      if octet_length(value) > 40 or value collate "C" !~
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?([Zz]|[-+][0-9]{2}(:?[0-9]{2})?))?$'
      then
        return null;
      end if;
      if length(value) = 10 then
        return (value || 'T00:00:00Z')::timestamptz;
      end if;
      return value::timestamptz;
    exception when data_exception then
      return null;
    end $$`.execute(db)
  await sql`comment on function attribute_time is
    'The value as a time. It must be an ISO 8601 date-time with a zone, or a date, which means midnight UTC. Null for other values'`.execute(
    db,
  )
}
