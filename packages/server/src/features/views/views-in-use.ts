import { ApiError } from '../../errors.ts'
import { readStoredFilter, viewsIn } from './apply-view.ts'

/** Returns the IDs of the views that an object uses, as its view or in its filter. */
export function viewsInUse({ where, viewId }: { where: string | null; viewId: string | null }): Set<string> {
  const ids = new Set(viewId === null ? [] : [viewId])
  try {
    const place = { kind: 'device', path: 'where' } as const
    const read = where === null ? undefined : readStoredFilter(where, { place, name: 'the filter' })
    for (const id of read === undefined ? [] : viewsIn(read.filter)) ids.add(id)
  } catch (error) {
    // A restored backup may contain an invalid filter. This function treats it as a filter without views.
    if (!(error instanceof ApiError)) throw error
  }
  return ids
}

/**
 * Replaces a view in a filter. In canonical form, quotation marks inside strings are escaped with a backslash, so no
 * string can contain `view("id")`.
 */
export const withOtherView = (where: string, { from, to }: { from: string; to: string }): string =>
  where.replaceAll(`view("${from}")`, () => `view("${to}")`)
