import { type Kysely, sql } from 'kysely'

/** A table of a former migration library, and the table's index. */
const former = sql`('migration_lock', 'migration_lock_pkey')`

/** Returns a description of each part of the schema, without the monthly partitions of the event log. */
export async function schemaOf(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with own as (
      select oid, relname, relkind, reloptions, relpersistence from pg_class
      where relnamespace = 'public'::regnamespace and not relispartition and relname not in ${former}
    )
    select concat_ws(' ', 'relation', relname, relkind, relpersistence, reloptions) as line from own
    union all
    select concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), case when attnotnull then 'not null' end,
      attgenerated, (select collname from pg_collation where pg_collation.oid = attcollation),
      (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = own.oid and adnum = attnum))
    from own join pg_attribute on attrelid = own.oid and attnum > 0 and not attisdropped where relkind in ('r', 'p', 'v')
    union all
    select concat_ws(' ', pg_get_indexdef(indexrelid), case when not indisvalid then 'invalid' end)
    from own join pg_index on indrelid = own.oid
    union all
    select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid), case when not convalidated then 'not validated' end)
    from own join pg_constraint on conrelid = own.oid
    union all
    select concat_ws(' ', pg_get_triggerdef(pg_trigger.oid), tgenabled) from own join pg_trigger on tgrelid = own.oid where not tgisinternal
    union all
    select concat_ws(' ', 'view', relname, pg_get_viewdef(oid)) from own where relkind = 'v'
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f' and not exists (
      select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all
    select concat_ws(' ', 'collation', collname, collprovider) from pg_collation where collnamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', 'extension', extname) from pg_extension
    order by 1`.execute(db)
  return rows.map(({ line }) => line)
}

/** Returns the partition and the index for each index of the event log that is missing or invalid on a partition. */
export async function missingOnPartitions(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ missing: string }>`
    select partition.relname || ' ' || index.relname as missing
    from pg_inherits join pg_class as partition on partition.oid = inhrelid
    cross join pg_index join pg_class as index on index.oid = indexrelid
    where inhparent = 'event'::regclass and indrelid = 'event'::regclass and not exists (
      select from pg_index as own join pg_inherits as attached on attached.inhrelid = own.indexrelid
      where own.indrelid = partition.oid and attached.inhparent = index.oid and own.indisvalid)
    order by 1`.execute(db)
  return rows.map(({ missing }) => missing)
}
