import { type ColumnMetadata, sql, type TableMetadata } from 'kysely'
import type { Database } from '../packages/server/src/db/database.ts'

const head = `/** The tables of a migrated database, as Kysely knows them. Made by \`npm run generate\`. */

import type { ColumnType } from 'kysely'

/** May be left out of a new row. */
export type Generated<T> =
  T extends ColumnType<infer Read, infer Inserted, infer Updated>
    ? ColumnType<Read, Inserted | undefined, Updated>
    : ColumnType<T, T | undefined, T>

export type Int8 = ColumnType<string, bigint | number | string, bigint | number | string>

export type Json = JsonValue

export type JsonValue = JsonValue[] | { [name: string]: JsonValue | undefined } | boolean | number | string | null

export type Timestamp = ColumnType<Date, Date | string, Date | string>
`

/** What pg reads and takes, by the name of the type in PostgreSQL. */
const types: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'Int8',
  jsonb: 'Json',
  name: 'string',
  text: 'string',
  timestamptz: 'Timestamp',
  uuid: 'string',
}

/** TypeScript types of all tables and views, from a migrated database. */
export async function generateTableTypes(db: Database): Promise<string> {
  const partitions = await partitionNames(db)
  // What records the migrations is Kysely's own.
  const isOurs = ({ name, schema }: TableMetadata): boolean =>
    schema === 'public' && !name.startsWith('migration') && !partitions.has(name)
  const tables = await db.introspection.getTables()
  const byName = tables.filter(isOurs).toSorted((one, other) => compare(one.name, other.name))
  const rows = byName.map(({ name }) => `  ${name}: ${typeName(name)}\n`)
  return [head, ...byName.map(tableType), `export interface DB {\n${rows.join('')}}\n`].join('\n')
}

/** They come and go by the month, and are read through their tables. */
async function partitionNames(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class where relispartition`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

function tableType({ name, columns }: TableMetadata): string {
  const byName = columns.toSorted((one, other) => compare(one.name, other.name))
  return `export interface ${typeName(name)} {\n${byName.map(columnType).join('')}}\n`
}

function columnType(column: ColumnMetadata): string {
  const { name, comment, isNullable, hasDefaultValue, isAutoIncrementing } = column
  const type = isNullable ? `${valueType(column)} | null` : valueType(column)
  const isGenerated = hasDefaultValue || isAutoIncrementing
  const described = comment === undefined ? '' : `  /** ${comment} */\n`
  return `${described}  ${name}: ${isGenerated ? `Generated<${type}>` : type}\n`
}

function valueType({ name, dataType }: ColumnMetadata): string {
  // An array is named after its elements.
  const type = types[dataType.replace(/^_/, '')]
  if (type === undefined)
    throw new Error(`the column ${name} is a ${dataType}: say in ${import.meta.filename} what pg reads of it`)
  return dataType.startsWith('_') ? `${type}[]` : type
}

const typeName = (table: string): string =>
  table.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const compare = (one: string, other: string): number => (one < other ? -1 : 1)
