import { type RawBuilder, sql } from 'kysely'

/** Part of a name, case aside, written as the trigram index of devices has it. */
export function nameContains(column: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`lower(${column} collate "und-x-icu") like lower(${pattern}::text collate "und-x-icu")`
}
