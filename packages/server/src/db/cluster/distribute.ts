import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Database } from '../database.ts'
import { type MigrationLog, silentLog } from '../migrate/log.ts'
import { withMigrationLock } from '../migrate/migration-lock.ts'
import { hasCitus, readMissingFunctions, readPlacements, readTables, type Table, type UniqueIndex } from './catalog.ts'
import { accountColumnOf, type Placement, placementOf } from './table-placements.ts'

export interface ClusterOptions {
  /** The number of shards across which the accounts are distributed. Ignored after the first distribution. */
  shards: number
}

export const clusterOf = ({ cluster, clusterShards }: Config): ClusterOptions | undefined =>
  cluster === undefined ? undefined : { shards: clusterShards }

export interface DistributeOptions {
  /** Undefined if MUSTER_CLUSTER is not set. */
  cluster: ClusterOptions | undefined
  log?: MigrationLog
  signal?: AbortSignal
}

/** The first distributed table. All other distributed tables are colocated with it by account. */
const FIRST = 'device'

/**
 * Distributes tables across the cluster or copies them to each node, as `table-placements.ts` requires. Skips tables
 * that are already placed, and returns the names of the others. Does nothing if `cluster` is undefined or the database
 * does not have the extension citus. One transaction places all of the tables, and writers wait until it ends.
 */
export async function distributeTables(
  db: Database,
  { cluster, log = silentLog, signal = new AbortController().signal }: DistributeOptions,
): Promise<string[]> {
  if (cluster === undefined) return []
  if (!(await hasCitus(db))) {
    log.warn(
      {},
      'MUSTER_CLUSTER is set, but the database does not have the extension citus, so no tables are distributed: create the extension, or remove the setting',
    )
    return []
  }
  if ((await findMissing(db)).missing.length === 0) return []
  return withMigrationLock({ db, log, signal }, async (connection) => {
    const { missing, placed } = await findMissing(connection)
    const names = missing.map(({ name }) => name)
    if (names.length === 0) return []
    log.info({ tables: names.length }, 'distributing the tables across the cluster')
    await connection.transaction().execute((transaction) => place(transaction, { missing, placed, cluster }))
    for (const name of names.filter(isDistributed)) await removeLocalRows(connection, name)
    return names
  })
}

/**
 * Returns the tables that must still be placed, and the placements of the others. Throws if `table-placements.ts` does
 * not contain a table or requires a different placement of the table.
 */
async function findMissing(db: Database): Promise<{ missing: Table[]; placed: ReadonlyMap<string, Placement> }> {
  const placed = await readPlacements(db)
  const missing = (await readTables(db)).filter(({ name }) => {
    const placement = getPlacement(name)
    const former = placed.get(name)
    if (former !== undefined && former !== placement)
      throw new Error(
        `the table ${name} has the placement ${former} in this cluster, but this release requires ${placement}: create a new cluster`,
      )
    return placement !== 'local' && former === undefined
  })
  return { missing, placed }
}

export function getPlacement(table: string): Placement {
  const placement = placementOf(table)
  if (placement === undefined) throw new Error(`the table ${table} has no placement: add it to table-placements.ts`)
  return placement
}

const isDistributed = (table: string): boolean => getPlacement(table) === 'distributed'

interface Plan {
  missing: readonly Table[]
  placed: ReadonlyMap<string, Placement>
  cluster: ClusterOptions
}

async function place(transaction: Database, { missing, placed, cluster }: Plan): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(transaction)
  // A transaction that writes reference tables and distributed tables must use one connection per node.
  await run(`set local citus.multi_shard_modify_mode = 'sequential'`)
  await run('set local client_min_messages = warning')
  // Later transactions need this setting, too, because some of them read accounts on several shards and write the
  // reference table of people.
  await sql`do $$ begin
    execute format('alter database %I set citus.multi_shard_modify_mode = ''sequential''', current_database());
  end $$`.execute(transaction)
  // Citus does not support triggers on shards. Only servers of an earlier release need these triggers.
  for (const { name, triggers } of missing)
    for (const trigger of triggers) await run(`drop trigger "${trigger}" on "${name}"`)
  // Citus allows a foreign key to a distributed table only if the referencing table is distributed, too. Drop these
  // foreign keys now, and add them again at the end.
  const references = missing.flatMap(({ name, references }) =>
    references.filter(({ table }) => isDistributed(table)).map((reference) => ({ ...reference, from: name })),
  )
  for (const { from, name } of references) await run(`alter table "${from}" drop constraint "${name}"`)
  for (const table of missing.filter(({ name }) => isDistributed(name)))
    for (const { name, definition } of uniquesAcrossAccounts(table)) {
      await run(`drop index "${name}"`)
      await run(definition.replace(/^create unique index/i, 'create index'))
    }
  for (const { name } of orderByReferences(missing.filter(({ name }) => !isDistributed(name))))
    await run(`select create_reference_table('${name}')`)
  for (const { name } of withFirst(missing.filter(({ name }) => isDistributed(name))))
    await run(distributeText(name, { placed, cluster }))
  for (const { from, name, definition } of references)
    await run(`alter table "${from}" add constraint "${name}" ${definition}`)
  for (const signature of await readMissingFunctions(transaction))
    await run(`select create_distributed_function('${signature}')`)
}

/**
 * Returns the unique indexes that Citus rejects, because equal values can be on different nodes. Without these indexes,
 * the values are still unique: they are random keys and hashes, or email addresses of accounts, which are unique among
 * people.
 */
export const uniquesAcrossAccounts = ({ name, uniques }: Table): UniqueIndex[] =>
  uniques.filter(({ columns }) => !columns.includes(accountColumnOf(name)))

/** Sorts the tables so that each follows the tables that it references. */
function orderByReferences(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const add = (table: Table): void => {
    if (ordered.includes(table)) return
    for (const needed of tables) if (table.references.some(({ table: name }) => name === needed.name)) add(needed)
    ordered.push(table)
  }
  for (const table of tables) add(table)
  return ordered
}

/** Sorts the tables so that `FIRST`, the table with which all others are colocated, is the first one. */
const withFirst = (tables: readonly Table[]): Table[] =>
  [...tables].sort((one, other) => Number(other.name === FIRST) - Number(one.name === FIRST))

function distributeText(table: string, { placed, cluster }: Pick<Plan, 'placed' | 'cluster'>): string {
  const options =
    table === FIRST && placed.get(FIRST) !== 'distributed'
      ? `shard_count => ${cluster.shards}, colocate_with => 'none'`
      : `colocate_with => '${FIRST}'`
  return `select create_distributed_table('${table}', '${accountColumnOf(table)}', ${options})`
}

/** Removes the rows that a table had before it was distributed. Citus has copied them to the shards. */
const removeLocalRows = (db: Database, table: string) =>
  sql.raw(`select truncate_local_data_after_distributing_table('${table}')`).execute(db)
