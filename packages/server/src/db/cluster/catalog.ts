import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Placement } from './table-placements.ts'

export interface Table {
  name: string
  uniques: UniqueIndex[]
  references: Reference[]
  triggers: string[]
  sequences: string[]
}

export interface UniqueIndex {
  name: string
  /** The indexed columns. Excludes indexed expressions. */
  columns: string[]
  /** The `create index` statement of the index. */
  definition: string
}

export interface Reference {
  name: string
  table: string
  columns: [string, string][]
  /** The definition of the foreign key, for `alter table … add constraint`. */
  definition: string
}

export async function readTables(db: Database): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select relname as name,
      (select coalesce(jsonb_agg(jsonb_build_object('name', indexrelid::regclass, 'definition', pg_get_indexdef(indexrelid),
          'columns', coalesce(${columnNames('indrelid', 'indkey')}, '{}'))), '[]') from pg_index
        where indrelid = class.oid and indisunique) as uniques,
      (select coalesce(jsonb_agg(jsonb_build_object('name', conname, 'table', needed.relname,
          'definition', pg_get_constraintdef(pg_constraint.oid), 'columns',
          (select jsonb_agg(jsonb_build_array(here, there)) from unnest(
            ${columnNames('conrelid', 'conkey')}, ${columnNames('confrelid', 'confkey')}) as pair (here, there)))), '[]')
        from pg_constraint join pg_class as needed on needed.oid = confrelid
        where conrelid = class.oid and contype = 'f' and conparentid = 0) as references,
      (select coalesce(jsonb_agg(tgname), '[]') from pg_trigger where tgrelid = class.oid and not tgisinternal)
        as triggers,
      (select coalesce(jsonb_agg(distinct sequence.relname), '[]') from pg_attrdef
        join pg_depend on classid = 'pg_attrdef'::regclass and objid = pg_attrdef.oid
          and refclassid = 'pg_class'::regclass
        join pg_class as sequence on sequence.oid = refobjid and sequence.relkind = 'S'
        where adrelid = class.oid) as sequences
    from pg_class as class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(db)
  return rows
}

const columnNames = (relation: string, numbers: string) =>
  sql.raw(`(select array_agg(attname::text order by place) from unnest(${numbers}::smallint[]) with ordinality as key (number, place)
    join pg_attribute on attrelid = ${relation} and attnum = number)`)

export async function hasCitus(db: Database): Promise<boolean> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  return rows.length > 0
}

export async function readPlacements(db: Database): Promise<Map<string, Placement>> {
  const { rows } = await sql<{ name: string; placement: Placement }>`
    select relname as name,
      case when partmethod = 'h' then 'distributed' when repmodel = 't' then 'reference' else 'local' end as placement
    from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
    where relnamespace = current_schema()::regnamespace and not relispartition`.execute(db)
  return new Map(rows.map(({ name, placement }) => [name, placement]))
}

/**
 * Returns the signatures of the functions that Citus has not placed on the nodes. Excludes functions of extensions,
 * because Citus places them itself, and trigger functions, because distributed tables have no triggers.
 */
export async function readMissingFunctions(db: Database): Promise<string[]> {
  const { rows } = await sql<{ signature: string }>`
    select pg_proc.oid::regprocedure::text as signature from pg_proc
    where pronamespace = current_schema()::regnamespace and prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      and not exists (select from pg_dist_object
        where pg_dist_object.classid = 'pg_proc'::regclass and pg_dist_object.objid = pg_proc.oid)
    order by 1`.execute(db)
  return rows.map(({ signature }) => signature)
}
