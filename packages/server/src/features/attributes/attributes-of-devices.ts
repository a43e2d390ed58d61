import type { Database } from '../../db/database.ts'
import { findOverrides, listContexts } from './attributes.queries.ts'
import type { Attributes } from './attributes.ts'

/** Returns what a context overrides, keyed by device ID. Devices without overrides in the context are omitted. */
export async function listOverridesIn(
  db: Database,
  accountId: string,
  { ids, context }: { ids: readonly string[]; context: string },
): Promise<Map<string, Attributes>> {
  const rows = await findOverrides(db, accountId, ids, Array(ids.length).fill(context))
  return new Map(rows.map(({ target_id, attributes }) => [target_id, attributes]))
}

/** Returns the contexts with overrides, keyed by device ID. */
export async function listContextsOf(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const byDevice = Map.groupBy(await listContexts(db, accountId, ids), ({ target_id }) => target_id)
  return new Map([...byDevice].map(([id, rows]) => [id, rows.map(({ context }) => context)]))
}
