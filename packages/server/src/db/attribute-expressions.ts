import { type RawBuilder, sql } from 'kysely'

type Sql = RawBuilder<unknown>

/** An index row holds at most 2,704 bytes and a value 16 KiB: values are sorted and found by so many characters. */
const SORTED_LENGTH = 200

/** A text value cut to what is sorted by, as the indexes have it. */
export const sortable = (text: Sql): Sql => sql`left(${text}, ${sql.lit(SORTED_LENGTH)})`

/** The text under a name in a jsonb column of attributes: its value, or the JSON of a group. Taken out of a row in a third of the time. */
export const textIn = (attributes: Sql, [first, subName]: readonly string[]): Sql =>
  subName === undefined
    ? sql`(${attributes} ->> ${first}::text)`
    : sql`(${attributes} -> ${first}::text ->> ${subName}::text)`

/** What is sorted by, from the text under the name: looked at more closely only where it can be a group or has to be cut. */
export const sortableFrom = (text: Sql, attributes: Sql, name: readonly string[]): Sql =>
  sql`case when ${text} collate "C" >= '{' or octet_length(${text}) > ${sql.lit(SORTED_LENGTH)}
    then ${sortable(valueIn(attributes, name))} else ${text} end`

/** The value of a name in a jsonb column of attributes; null when there is none, or when the name is a group. */
export function valueIn(attributes: Sql, [first, subName]: readonly string[]): Sql {
  if (subName !== undefined) return sql`(${attributes} -> ${first}::text ->> ${subName}::text)`
  return sql`case when jsonb_typeof(${attributes} -> ${first}::text) = 'string' then ${attributes} ->> ${first}::text end`
}
