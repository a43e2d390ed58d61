import type { Catalog, Table } from './catalog.ts'
import { type Placement, placementOf } from './placements.ts'

/** The first distributed table. All other distributed tables are colocated with it by account. */
const FIRST = 'device'

/**
 * Returns the commands that distribute a migrated, empty database, in the order of their dependencies. The first lines
 * are comments about the parts of the schema that Citus does not support.
 */
export function citusCommands({ tables, functions }: Catalog, { shards }: { shards: number }): string[] {
  const placed = tables.map((table) => ({ table, placement: getPlacement(table) }))
  const withPlacement = (placement: Placement): Table[] =>
    orderByReferences(placed.filter((each) => each.placement === placement).map(({ table }) => table))
  const distributed = withPlacement('distributed').sort(
    (one, other) => Number(other.name === FIRST) - Number(one.name === FIRST),
  )
  return [
    ...distributed.flatMap(unsupportedParts),
    ...withPlacement('reference').flatMap(dropTriggers),
    'create extension if not exists citus;',
    ...withPlacement('reference').map(({ name }) => `select create_reference_table('${name}');`),
    ...distributed.map(({ name }) => {
      const options =
        name === FIRST ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '${FIRST}'`
      return `select create_distributed_table('${name}', 'account_id', ${options});`
    }),
    ...functions.map((signature) => `select create_distributed_function('${signature}');`),
    ...withPlacement('local').map(({ name }) => `-- ${name} stays on the coordinator`),
  ]
}

function getPlacement(table: Table): Placement {
  const placement = placementOf(table.name)
  if (placement === undefined) throw new Error(`The table ${table.name} has no placement. Add it to placements.ts.`)
  return placement
}

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

/**
 * Returns commands that drop triggers, because Citus supports none on reference tables. The triggers of accounts and
 * people serve only servers of the previous release, which a new cluster does not have.
 */
const dropTriggers = ({ name, triggers }: Table): string[] =>
  triggers.map((trigger) => `drop trigger ${trigger} on ${name};`)

const unsupportedParts = ({ name, triggers, sequences }: Table): string[] => [
  ...triggers.map((trigger) => `-- not supported: the trigger ${trigger} on ${name} writes to another table`),
  ...sequences.map(
    (sequence) => `-- not supported: ${name} uses the sequence ${sequence}, which is separate on each node`,
  ),
]
