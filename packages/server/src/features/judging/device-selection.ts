import type { Context } from '../../context.ts'
import { parseContext } from '../attributes/attribute-name.ts'
import { assertKnownNames } from '../filters/known-names.ts'
import { type ReadFilter, readFilter } from '../filters/read-filter.ts'
import { applyView, readStoredFilter, type ViewReader } from '../views/apply-view.ts'
import type { Selection } from './needs.ts'

export interface SelectionArguments {
  where?: string | null | undefined
  view?: string | null | undefined
  context?: string | null | undefined
}

/** `where` is in canonical form. */
export interface StoredSelection {
  where: string | null
  viewId: string | null
  context: string | null
}

/**
 * Throws BAD_USER_INPUT or LIMIT_EXCEEDED for an invalid argument, and the same errors as `assertKnownNames` and
 * `resolveSelection`.
 */
export async function readSelection(context: Context, args: SelectionArguments): Promise<StoredSelection> {
  const inContext = parseContext(args.context, 'context') ?? null
  const read = args.where == null ? undefined : readFilter(args.where, place)
  if (read !== undefined) await assertKnownNames(context, read)
  const stored = { where: read?.canonical ?? null, viewId: args.view ?? null, context: inContext }
  await resolveSelection(context, stored)
  return stored
}

/**
 * Replaces views with their current filters. Throws NOT_FOUND for a missing view, BAD_USER_INPUT for a view of another
 * kind, and CONFLICT for an invalid filter. Throws LIMIT_EXCEEDED if the filter exceeds a limit with the filters of
 * views in place of `view()`. Throws FORBIDDEN if the caller cannot read a name in the filter.
 */
export async function resolveSelection(reader: ViewReader, stored: StoredSelection): Promise<Selection> {
  const { viewId, context } = stored
  const given = { where: storedFilter(stored), viewId, inContext: context ?? undefined }
  const applied = await applyView(reader, given, place)
  return { filter: applied.where?.filter, context: applied.context }
}

const place = { kind: 'device', path: 'where' } as const

export const storedFilter = ({ where }: StoredSelection): ReadFilter | undefined =>
  where === null ? undefined : readStoredFilter(where, { place, name: 'the filter' })

export const hasSelection = ({ where, viewId }: StoredSelection): boolean => where !== null || viewId !== null
