import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { RestrictionPart } from '../../restriction.ts'
import { reloadAccessKeys } from '../access-keys/key-events.ts'
import type { Target } from '../events/event-types.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { readStoredFilter, viewsIn } from '../views/apply-view.ts'
import {
  type RestrictedRow,
  selectRestricted,
  writeKeyRestriction,
  writeRoleRestriction,
} from './restrictions.queries.ts'

export interface RestrictedUser {
  row: RestrictedRow
  viewIds: ReadonlySet<string>
}

export async function listRestrictedByViews(db: Database, accountId: string): Promise<RestrictedUser[]> {
  const rows = await selectRestricted(db, accountId)
  return rows.map((row) => ({ row, viewIds: viewsOf(row.restriction.own) })).filter(({ viewIds }) => viewIds.size > 0)
}

export const restrictedTarget = ({ kind, id, name }: RestrictedRow): Target => ({ kind, id, name: name ?? id })

/**
 * Replaces the view `from` with the view `to` in all restrictions that use it, and records an event for each
 * restriction. `db` must be a transaction that has locked the account.
 */
export async function replaceViewOfRestrictions(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { accountId } = viewer
  const users = (await listRestrictedByViews(db, accountId)).filter(({ viewIds }) => viewIds.has(from))
  for (const { row } of users) {
    const { own } = row.restriction
    const after = { ...row, restriction: { ...row.restriction, own: replaced(own, from, to) } }
    await (row.kind === 'role' ? writeRoleRestriction : writeKeyRestriction)(db, accountId, after)
    const changes = fieldChanges(shown(own), shown(after.restriction.own))
    const type = row.kind === 'role' ? 'ROLE_UPDATE' : 'ACCESS_KEY_UPDATE'
    await recordEvents(db, { viewer }, [{ type, targets: [restrictedTarget(row)], data: { changes } }])
  }
  if (users.length > 0) await reloadAccessKeys(db, accountId)
}

const shown = ({ where, view }: RestrictionPart) => ({ where: where ?? null, view: view ?? null })

/**
 * Replaces a view in a restriction. In canonical form, quotation marks inside strings are escaped with a backslash, so
 * no string can contain `view("id")`.
 */
function replaced(own: RestrictionPart, from: string, to: string): RestrictionPart {
  return {
    ...own,
    ...(own.view !== undefined && { view: own.view === from ? to : own.view }),
    ...(own.where !== undefined && { where: own.where.replaceAll(`view("${from}")`, () => `view("${to}")`) }),
  }
}

function viewsOf({ where, view }: RestrictionPart): Set<string> {
  const ids = new Set(view === undefined ? [] : [view])
  if (where === undefined) return ids
  try {
    const place = { kind: 'device', path: 'where' } as const
    const read = readStoredFilter(where, { place, name: 'the filter' })
    for (const id of read === undefined ? [] : viewsIn(read.filter)) ids.add(id)
  } catch (error) {
    // A restored backup may contain an invalid filter. Such a filter counts as using no view.
    if (!(error instanceof ApiError)) throw error
  }
  return ids
}
