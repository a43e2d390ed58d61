import type { Arguments } from '../cost/object-count.ts'
import { formatStoredTime } from '../values/timestamps.ts'

/** Returns the JSON of one field of an item. `index` is the position of the row on the page. */
export type WriteField<Row> = (row: Row, index: number) => string

/** Prepares writing one field of all items of a page, for example by reading more rows. */
export type PrepareField<Row, Context> = (page: {
  rows: readonly Row[]
  args: Arguments
  context: Context
  /** Adds to the number of objects in the response. The items of the page are already counted. */
  addObjects: (count: number) => void
}) => Promise<WriteField<Row>>

/** A field of a selection below a written field. It has no arguments and no selection. */
export interface LeafField {
  readonly key: string
  readonly name: string
}

/** A field that has arguments or a selection. */
export interface CompiledField<Row, Context> {
  /** Called once for each document. Returns undefined if the field must be resolved. `below` is empty for a leaf. */
  compile(below: readonly LeafField[]): PrepareField<Row, Context> | undefined
}

export type FieldWriter<Row, Context> = WriteField<Row> | CompiledField<Row, Context>

/** What `graphql/written` can write. */
export interface RowWriters {
  /** Types of pages. The writers accept the `rows` of these pages. */
  readonly pages: ReadonlySet<string>
  /** The fields that can be written from the row of an item, by type and field. */
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own rows
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldWriter<any, any>>>>>
}

/** Matches the characters that JSON escapes. */
const escaped = /["\\\p{Cc}\p{Cs}]/u

const textJson = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

type AnyRow = readonly unknown[]

/** Writes a column of strings without characters that JSON escapes, such as IDs. */
export const plainColumn =
  (column: number): WriteField<AnyRow> =>
  (row) =>
    `"${row[column] as string}"`

/** Writes a column of strings or null. */
export const textColumn =
  (column: number): WriteField<AnyRow> =>
  (row) => {
    const value = row[column] as string | null
    return value === null ? 'null' : textJson(value)
  }

/** Writes a column of `StoredTime` or null. */
export const timeColumn =
  (column: number): WriteField<AnyRow> =>
  (row) => {
    const value = row[column] as string | null
    return value === null ? 'null' : `"${formatStoredTime(value)}"`
  }
