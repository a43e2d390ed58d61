import { type RawBuilder, sql } from 'kysely'

type Sql = RawBuilder<unknown>

/** An index row holds at most 2,704 bytes and a value 16 KiB: values are sorted and found by so many characters. */
const SORTED_LENGTH = 200

/** A text value cut to what is sorted by, as the indexes have it. */
export const sortable = (text: Sql): Sql => sql`left(${text}, ${sql.lit(SORTED_LENGTH)})`

/** The value of a name in a jsonb column of attributes; null when there is none, or when the name is a group. */
export function valueIn(attributes: Sql, [first, subName]: readonly string[]): Sql {
  if (subName !== undefined) return sql`(${attributes} -> ${first}::text ->> ${subName}::text)`
  return sql`case when jsonb_typeof(${attributes} -> ${first}::text) = 'string' then ${attributes} ->> ${first}::text end`
}
