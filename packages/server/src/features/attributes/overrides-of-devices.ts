import type { ReadableNames } from '@muster/filter'
import type { Database } from '../../db/database.ts'
import { findOverrides, listContexts, listReadableContexts } from './attributes.queries.ts'
import type { Attributes } from './attributes.ts'

/** Returns the overrides in the context, keyed by device ID. Omits devices without overrides in the context. */
export async function listOverridesIn(
  db: Database,
  accountId: string,
  { ids, context }: { ids: readonly string[]; context: string },
): Promise<Map<string, Attributes>> {
  const rows = await findOverrides(db, accountId, { targetIds: ids, context })
  return new Map(rows.map(({ target_id, attributes }) => [target_id, attributes]))
}

/**
 * Returns the contexts in which each device, service, or account has overrides, keyed by its ID. If `readable` is set,
 * ignores overrides of other names.
 */
export async function listContextsOf(
  db: Database,
  accountId: string,
  { ids, readable }: { ids: readonly string[]; readable: ReadableNames | undefined },
): Promise<Map<string, string[]>> {
  const rows =
    readable === undefined
      ? await listContexts(db, accountId, ids)
      : await listReadableContexts(db, accountId, { targetIds: ids, readable })
  const byTarget = Map.groupBy(rows, ({ target_id }) => target_id)
  return new Map([...byTarget].map(([id, rows]) => [id, rows.map(({ context }) => context)]))
}
