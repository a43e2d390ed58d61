import type { ReadableNames } from '@muster/filter'
import { sql } from 'kysely'
import { both, type Sql } from './filter-scope.ts'

/** Applies the same rules as `isReadableName`. */
export function isReadable(name: Sql, scopes: ReadableNames): Sql {
  return both(
    scopes.map(({ read, write }) => {
      const patterns = [...read, ...write]
      const names = patterns.flatMap((each) =>
        each.endsWith('.*') ? each.slice(0, -2) : each.endsWith('*') ? [] : each,
      )
      const beginnings = patterns.flatMap((each) => (each.endsWith('*') ? each.slice(0, -1) : []))
      return sql`(${name} = any(${names}::text[]) or exists (
        select from unnest(${beginnings}::text[]) as beginning (text) where starts_with(${name}, beginning.text)))`
    }),
  )
}

/** Returns SQL for the values in a JSON object of attributes, with their names, as rows `each (name, value)`. */
export const namedValues = (attributes: Sql): Sql => sql`(
  select case when member.key is null then first.key else first.key || '.' || member.key end,
    coalesce(member.value, first.value #>> '{}')
  from jsonb_each(${attributes}) as first
    left join lateral jsonb_each_text(case when jsonb_typeof(first.value) = 'object' then first.value end) as member on true
  ) as each (name, value)`

/**
 * Returns SQL that requires the row `x` of `attribute_override` to have a value that the caller can read. The SQL is
 * empty if the caller can read all names.
 */
export const andReadableOverride = (scopes: ReadableNames | undefined): Sql =>
  scopes === undefined
    ? sql``
    : sql`and exists (select from ${namedValues(sql`x.attributes`)} where ${isReadable(sql`each.name`, scopes)})`
