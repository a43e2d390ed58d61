import type { Catalog, Table } from './catalog.ts'
import { type Class, classOf } from './classes.ts'

/** The first that is distributed: the others go where its rows of the same account are. */
const FIRST = 'device'

/**
 * The commands that make a cluster of a migrated, empty database, in an order in which each finds what it needs. What Citus does
 * not take as it is stands above them.
 */
export function citusCommands({ tables, functions }: Catalog, { shards }: { shards: number }): string[] {
  const classed = tables.map((table) => ({ table, kind: assertClass(table) }))
  const of = (kind: Class): Table[] => inOrder(classed.filter((each) => each.kind === kind).map(({ table }) => table))
  const distributed = of('distributed').sort((one, other) => Number(other.name === FIRST) - Number(one.name === FIRST))
  return [
    ...distributed.flatMap(obstacles),
    'create extension if not exists citus;',
    ...of('reference').map(({ name }) => `select create_reference_table('${name}');`),
    ...distributed.map(({ name }) => {
      const place = name === FIRST ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '${FIRST}'`
      return `select create_distributed_table('${name}', 'account_id', ${place});`
    }),
    ...functions.map((signature) => `select create_distributed_function('${signature}');`),
    ...of('local').map(({ name }) => `-- ${name} stays on the coordinator`),
  ]
}

function assertClass(table: Table): Class {
  const found = classOf(table.name)
  if (found === undefined) throw new Error(`the table ${table.name} is in no class: put it into one in classes.ts`)
  return found
}

/** Each behind those that it refers to. */
function inOrder(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const place = (table: Table): void => {
    if (ordered.includes(table)) return
    for (const needed of tables) if (table.references.some(({ table: name }) => name === needed.name)) place(needed)
    ordered.push(table)
  }
  for (const table of tables) place(table)
  return ordered
}

const obstacles = ({ name, triggers, sequences }: Table): string[] => [
  ...triggers.map((trigger) => `-- to be settled first: the trigger ${trigger} on ${name} writes to another table`),
  ...sequences.map(
    (sequence) => `-- to be settled first: ${name} draws from ${sequence}, which each node has for itself`,
  ),
]
