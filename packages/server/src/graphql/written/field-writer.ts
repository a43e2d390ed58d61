import type { Arguments } from '../cost/response-object-count.ts'
import type { JsonWriter } from './json-writer.ts'

/** Writes one field of one item. `index` is the zero-based position of the item on the page. */
export type WriteField<Row> = (writer: JsonWriter, row: Row, index: number) => void

/** Prepares to write one field for all items of a page, for example by reading more rows. */
export type PrepareField<Row, Context> = (page: {
  rows: readonly Row[]
  args: Arguments
  context: Context
  /** Adds to the number of objects in the response. The page's items have already been counted. */
  addObjects: (count: number) => void
}) => Promise<WriteField<Row>>

/** A field without arguments and without a selection. */
export interface LeafField {
  readonly key: string
  readonly name: string
}

export interface CompiledField<Row, Context> {
  /** Returns undefined if a resolver must supply the field. `below` lists the selected subfields, if any. */
  compile(below: readonly LeafField[]): PrepareField<Row, Context> | undefined
}

export type FieldWriter<Row, Context> = WriteField<Row> | CompiledField<Row, Context>

export interface RowWriters {
  /** The names of the page types, such as `DeviceList`, whose `rows` the writers accept. */
  readonly pages: ReadonlySet<string>
  /** The fields that can be written from the row of an item, keyed by type name and then by field name. */
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own rows
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldWriter<any, any>>>>>
}

type AnyRow = readonly unknown[]

export const textColumn =
  (column: number): WriteField<AnyRow> =>
  (writer, row) =>
    writer.string(row[column] as string | null)

export const timeColumn =
  (column: number): WriteField<AnyRow> =>
  (writer, row) =>
    writer.time(row[column] as string | null)
