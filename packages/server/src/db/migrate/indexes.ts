import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { NewIndex } from '../migration.ts'
import { inShortTransaction, type Run, retryOnDeadlock } from './retry-statements.ts'

/** PostgreSQL would truncate a longer name. */
const MAX_NAME_LENGTH = 63

/** Creates a missing index. Recreates an incomplete index that a killed server left behind. */
export async function createIndex(run: Run, step: NewIndex): Promise<void> {
  if ((await kindOf(run.connection, step.on)) === 'p') return createOnPartitions(run, step)
  await createConcurrently(run, step)
}

export async function dropIndex(run: Run, name: string): Promise<void> {
  const kind = await kindOf(run.connection, name)
  if (kind === undefined) return
  // PostgreSQL cannot drop an index on a partitioned table concurrently.
  if (kind === 'I') {
    return inShortTransaction(run, async (db) => void (await sql.raw(`drop index "${name}"`).execute(db)))
  }
  await retryOnDeadlock(run, async (connection) => {
    await sql.raw(`drop index concurrently if exists "${name}"`).execute(connection)
  })
}

async function createConcurrently(run: Run, { index, on, unique = false, as }: NewIndex): Promise<void> {
  const create = `create ${unique ? 'unique ' : ''}index concurrently "${index}" on "${on}" ${as}`
  await retryOnDeadlock(run, async (connection) => {
    const isValid = await findValidity(connection, index)
    if (isValid) return
    if (isValid === false) await sql.raw(`drop index concurrently "${index}"`).execute(connection)
    await sql.raw(create).execute(connection)
  })
}

/** Indexes each partition separately, because PostgreSQL cannot create an index on a partitioned table concurrently. */
async function createOnPartitions(run: Run, step: NewIndex): Promise<void> {
  const { index, on, unique = false, as } = step
  await inShortTransaction(run, async (db) => {
    const create = `create ${unique ? 'unique ' : ''}index if not exists "${index}" on only "${on}" ${as}`
    await sql.raw(create).execute(db)
  })
  // If a partition is added during this step, PostgreSQL itself creates the index on the new partition.
  for (const partition of await selectPartitionsWithout(run.connection, step)) {
    const own = `${partition}_${index}`
    if (own.length > MAX_NAME_LENGTH)
      throw new Error(`the index name ${own} is longer than ${MAX_NAME_LENGTH} characters: shorten the name ${index}`)
    await createConcurrently(run, { ...step, on: partition, index: own })
    await inShortTransaction(run, async (db) => {
      await sql.raw(`alter index "${index}" attach partition "${own}"`).execute(db)
    })
  }
}

/**
 * Returns the `relkind` of the table or index with this name, such as `p` for a partitioned table. Returns undefined if
 * nothing has this name.
 */
async function kindOf(db: Database, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ kind: string }>`
    select relkind::text as kind from pg_class where oid = to_regclass(quote_ident(${name}))`.execute(db)
  return rows[0]?.kind
}

async function findValidity(db: Database, index: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid and indisready as valid from pg_index where indexrelid = to_regclass(quote_ident(${index}))`.execute(
    db,
  )
  return rows[0]?.valid
}

async function selectPartitionsWithout(db: Database, { index, on }: NewIndex): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select partition.relname as name from pg_inherits as child join pg_class as partition on partition.oid = child.inhrelid
    where child.inhparent = to_regclass(quote_ident(${on})) and not exists (
      select from pg_index join pg_inherits as attached on attached.inhrelid = indexrelid
      where indrelid = partition.oid and attached.inhparent = to_regclass(quote_ident(${index})))
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}
