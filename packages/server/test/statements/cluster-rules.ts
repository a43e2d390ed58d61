import { CompiledQuery } from 'kysely'
import { placementOf } from '../../src/db/cluster/table-placements.ts'
import type { Database } from '../../src/db/database.ts'
import { type AccountScope, type PlanNode, withDescendants } from './plan-accounts.ts'

/**
 * Rules that keep a statement executable on a cluster:
 *
 * - `volatile`: A statement that updates or deletes rows calls no volatile function, unless only the coordinator has
 *   the table.
 * - `locks`: A statement that locks rows locks only rows of one account.
 * - `events`: A statement that inserts events consists only of an `insert … values`.
 */
export type ClusterRule = 'volatile' | 'locks' | 'events'

interface Analyzed {
  text: string
  plan: PlanNode
  scope: AccountScope
  volatileFunctions: ReadonlySet<string>
}

export function brokenRules({ text, plan, scope, volatileFunctions }: Analyzed): ClusterRule[] {
  const nodes = withDescendants(plan)
  const calls = calledFunctions(text)
  const broken: ClusterRule[] = []
  if (nodes.some(changesSharedRows) && calls.some((name) => volatileFunctions.has(name))) broken.push('volatile')
  if ((scope === 'given' || scope === 'any') && nodes.some((node) => node['Node Type'] === 'LockRows'))
    broken.push('locks')
  if (insertsEvents(text) && !/^\s*insert into event \([^)]*\)\s*values\b/i.test(text)) broken.push('events')
  return broken
}

/** Returns the names of the functions in PostgreSQL's catalog whose overloads are all volatile. */
export async function readVolatileFunctions(db: Database): Promise<Set<string>> {
  const { rows } = await db.executeQuery<{ name: string }>(
    CompiledQuery.raw(
      `select proname as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace
       group by proname having every(provolatile = 'v')`,
    ),
  )
  return new Set(rows.map(({ name }) => name))
}

export const insertsEvents = (text: string): boolean => /\binsert into event\b/i.test(text)

/** Returns whether a node updates or deletes rows of a table that is not only on the coordinator. */
function changesSharedRows(node: PlanNode): boolean {
  const placement = placementOf(node['Relation Name'] ?? '')
  if (node['Node Type'] !== 'ModifyTable' || placement === undefined || placement === 'local') return false
  return node.Operation !== 'Insert' || node['Conflict Resolution'] === 'UPDATE'
}

const calledFunctions = (text: string): string[] =>
  [...text.replaceAll(/'(?:[^']|'')*'/g, "''").matchAll(/\b([a-z_]\w*)\s*\(/gi)].map(([, name]) => name!.toLowerCase())
