import type pg from 'pg'

/** A table of the schema, with its partitions. */
export interface Table {
  name: string
  /** The columns of each primary key and unique index. */
  uniques: string[][]
  references: Reference[]
  /** Names of the triggers, without those of foreign keys. */
  triggers: string[]
  /** Names of the sequences that column defaults use. */
  sequences: string[]
}

export interface Reference {
  table: string
  /** Pairs of a column in this table and a column in the referenced table. */
  columns: [string, string][]
}

export interface Catalog {
  tables: Table[]
  /** Signatures of the functions that statements call. */
  functions: string[]
}

export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  const { rows: tables } = await client.query<Table>(tablesText)
  const { rows: functions } = await client.query<{ signature: string }>(functionsText)
  return { tables, functions: functions.map(({ signature }) => signature) }
}

const columnNames = (relation: string, numbers: string): string =>
  `(select array_agg(attname::text order by place) from unnest(${numbers}::smallint[]) with ordinality as key (number, place)
    join pg_attribute on attrelid = ${relation} and attnum = number)`

const tablesText = `
  select relname as name,
    (select coalesce(jsonb_agg(${columnNames('indrelid', 'indkey')}), '[]') from pg_index
      where indrelid = class.oid and indisunique) as uniques,
    (select coalesce(jsonb_agg(jsonb_build_object('table', needed.relname, 'columns',
        (select jsonb_agg(jsonb_build_array(here, there)) from unnest(
          ${columnNames('conrelid', 'conkey')}, ${columnNames('confrelid', 'confkey')}) as pair (here, there)))), '[]')
      from pg_constraint join pg_class as needed on needed.oid = confrelid
      where conrelid = class.oid and contype = 'f') as references,
    (select coalesce(jsonb_agg(tgname), '[]') from pg_trigger where tgrelid = class.oid and not tgisinternal) as triggers,
    (select coalesce(jsonb_agg(distinct sequence.relname), '[]') from pg_attrdef
      join pg_depend on classid = 'pg_attrdef'::regclass and objid = pg_attrdef.oid and refclassid = 'pg_class'::regclass
      join pg_class as sequence on sequence.oid = refobjid and sequence.relkind = 'S'
      where adrelid = class.oid) as sequences
  from pg_class as class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
  order by relname`

/** Excludes functions of extensions and triggers, which Citus distributes itself. */
const functionsText = `
  select pg_proc.oid::regprocedure::text as signature from pg_proc
  where pronamespace = current_schema()::regnamespace and prorettype <> 'trigger'::regtype
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  order by 1`
