import type { FilterUsage } from '@muster/filter'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { loaderById } from '../../graphql/loaders.ts'
import { limits } from '../../limits.ts'
import { isPermitted, type PermissionName } from '../../permissions.ts'
import type { Target } from '../events/event-types.ts'
import { check } from '../filters/read-filter.ts'
import { listRestrictedByViews, replaceViewOfRestrictions, restrictedTarget } from '../restrictions/view-uses.ts'
import { webhookTarget } from '../webhooks/webhook.ts'
import { listWebhooksWithViews, replaceViewOfWebhooks } from '../webhooks/webhooks-using-view.ts'
import { applyView, readStoredFilter } from './apply-view.ts'
import { filterKinds, type View } from './view.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>

/** An object that uses views, either as its `view` or by `view("id")` in its filter. */
interface ViewUser {
  target: Target
  /** The permission that a caller needs to change or replace a view that the object uses. */
  permission: PermissionName
  /** The filter's usage, which determines the allowed terms. */
  usage: FilterUsage
  viewIds: ReadonlySet<string>
  /** The filter in canonical form, or null if the object has only a view. */
  where: string | null
}

async function listUsers({ db, viewer }: Viewing): Promise<ViewUser[]> {
  const webhooks = await listWebhooksWithViews(db, viewer.accountId)
  const restricted = await listRestrictedByViews(db, viewer.accountId)
  return [
    ...webhooks.map(
      ({ webhook, viewIds }): ViewUser => ({
        target: webhookTarget(webhook),
        permission: 'WEBHOOK_MANAGE',
        usage: 'list',
        viewIds,
        where: webhook.where,
      }),
    ),
    ...restricted.map(
      ({ row, viewIds }): ViewUser => ({
        target: restrictedTarget(row),
        permission: 'MEMBER_MANAGE',
        usage: row.kind,
        viewIds,
        where: row.restriction.own.where ?? null,
      }),
    ),
  ]
}

const usersOf = async (viewing: Viewing, viewId: string): Promise<ViewUser[]> =>
  (await listUsers(viewing)).filter(({ viewIds }) => viewIds.has(viewId))

const loaderOf = loaderById({ missing: [], cache: false }, async (context: Context, ids) => {
  const users = await listUsers(context)
  return new Map(ids.map((id) => [id, users.filter(({ viewIds }) => viewIds.has(id)).map(({ target }) => target)]))
})

export const loadUsedBy = (context: Context, viewId: string): Promise<Target[]> => loaderOf(context).load(viewId)

export async function assertMayChangeUsers(
  viewing: Viewing,
  { id, field }: { id: string; field: 'Mutation.updateView' | 'Mutation.deleteView' },
): Promise<void> {
  const { permissions } = viewing.viewer
  const needed = (await usersOf(viewing, id)).map(({ permission }) => permission)
  const missing = [...new Set(needed)].filter((permission) => !isPermitted(permissions, permission))
  if (missing.length === 0) return
  throw new ApiError(
    'FORBIDDEN',
    `the view is in use, so the change also needs permissions that you do not have: ${missing.join(', ')}`,
    { reason: 'permission', missing: missing.map((permission) => ({ field, permission })) },
  )
}

/** Throws CONFLICT with a list of the objects that use the view, if there are any. */
export async function assertUnused(viewing: Viewing, view: View): Promise<void> {
  const users = (await usersOf(viewing, view.id)).map(({ target }) => target)
  if (users.length === 0) return
  throw new ApiError(
    'CONFLICT',
    `the view ${JSON.stringify(view.name)} is in use by ${nameAll(users)}: set replaceBy to the ID of another view, or first remove the view from these objects`,
    { usedBy: users },
  )
}

/** Throws CONFLICT if the view's new filter is not allowed in an object that uses the view. */
export async function assertAllowedByUsers(
  viewing: Viewing,
  { id, kind, where }: Pick<View, 'id' | 'kind' | 'where'>,
  path: 'where' | 'replaceBy',
): Promise<void> {
  if (where === null) return
  const isRejected = ({ usage }: ViewUser): boolean =>
    !check(where, { kind: filterKinds[kind], usage, path }, {}).isValid
  const users = (await usersOf(viewing, id)).filter(isRejected).map(({ target }) => target)
  if (users.length === 0) return
  const filter = path === 'where' ? 'the filter in where' : 'the filter of the view in replaceBy'
  throw new ApiError(
    'CONFLICT',
    `${filter} has terms that are not allowed in ${nameAll(users)}: to list the terms, call checkFilter with the usage ROLE or ACCESS_KEY`,
    { usedBy: users },
  )
}

/**
 * Throws CONFLICT if the view makes the filter of an object that uses it exceed a limit. Call this function after the
 * view and its users have been written.
 */
export async function assertWithinLimitsOfUsers(viewing: Viewing, viewId: string): Promise<void> {
  const users: Target[] = []
  for (const { target, where } of await usersOf(viewing, viewId)) {
    if (where !== null && (await exceedsLimit(viewing, where))) users.push(target)
  }
  if (users.length === 0) return
  throw new ApiError(
    'CONFLICT',
    `with this change, the filter of ${nameAll(users)} would exceed a limit on filters, such as ${limits.filterTerms} conditions: the view needs a shorter filter`,
    { usedBy: users },
  )
}

async function exceedsLimit({ db, viewer }: Viewing, where: string): Promise<boolean> {
  const place = { kind: 'device', path: 'where' } as const
  const reader = { db, viewer: { accountId: viewer.accountId } }
  try {
    const read = readStoredFilter(where, { place, name: 'the filter' })
    await applyView(reader, { where: read, viewId: undefined, inContext: undefined }, place)
    return false
  } catch (error) {
    if (error instanceof ApiError) return error.code === 'LIMIT_EXCEEDED'
    throw error
  }
}

/** Replaces a view in all objects that use it. `viewing.db` must be a transaction that has locked the account. */
export async function replaceView(viewing: Viewing, change: { from: string; to: string }): Promise<void> {
  await replaceViewOfWebhooks(viewing, change)
  await replaceViewOfRestrictions(viewing, change)
}

const nameAll = (users: readonly Target[]): string =>
  users.map(({ kind, name, id }) => `the ${kind} ${JSON.stringify(name)} (${id})`).join(', ')
