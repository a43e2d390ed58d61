import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import type { RestrictionPart } from '../../restriction.ts'
import { reloadAccessKeys } from '../access-keys/key-events.ts'
import type { Target } from '../events/event-types.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { viewsInUse, withOtherView } from '../views/views-in-use.ts'
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
 * Replaces the view `from` with the view `to` in all restrictions that use `from`, and records an event for each
 * restriction. `db` must be a transaction that has locked the account.
 */
export async function replaceViewOfRestrictions(
  { db, viewer }: Pick<Context, 'db' | 'viewer'>,
  change: { from: string; to: string },
): Promise<void> {
  const { accountId } = viewer
  const users = (await listRestrictedByViews(db, accountId)).filter(({ viewIds }) => viewIds.has(change.from))
  for (const { row } of users) {
    const { own } = row.restriction
    const after = { ...row, restriction: { ...row.restriction, own: replaced(own, change) } }
    await (row.kind === 'role' ? writeRoleRestriction : writeKeyRestriction)(db, accountId, after)
    const changes = fieldChanges(shown(own), shown(after.restriction.own))
    const type = row.kind === 'role' ? 'ROLE_UPDATE' : 'ACCESS_KEY_UPDATE'
    await recordEvents(db, { viewer }, [{ type, targets: [restrictedTarget(row)], data: { changes } }])
  }
  if (users.length > 0) await reloadAccessKeys(db, accountId)
}

const viewsOf = ({ where, view }: RestrictionPart): Set<string> =>
  viewsInUse({ where: where ?? null, viewId: view ?? null })

const shown = ({ where, view }: RestrictionPart) => ({ where: where ?? null, view: view ?? null })

const replaced = (own: RestrictionPart, change: { from: string; to: string }): RestrictionPart => ({
  ...own,
  ...(own.view === change.from && { view: change.to }),
  ...(own.where !== undefined && { where: withOtherView(own.where, change) }),
})
