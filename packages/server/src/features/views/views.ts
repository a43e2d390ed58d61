import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, assertAtMost, assertBelowLimit, badInput, limitExceeded, notFound } from '../../errors.ts'
import { parseSort, readSortKeys } from '../../lib/sort.ts'
import { assertName, assertStorable, assertText } from '../../lib/string-checks.ts'
import { limits } from '../../limits.ts'
import type {
  MutationCreateViewArgs,
  MutationDeleteViewArgs,
  MutationUpdateViewArgs,
} from '../../resolvers.generated.ts'
import { parseAttributeName, parseContext } from '../attributes/attribute-name.ts'
import { deviceSortFields } from '../devices/list/device-sort.ts'
import { actorOf, sourceOf } from '../events/event-source.ts'
import type { EventTypeName } from '../events/event-types.ts'
import { fieldChanges, recordEvents } from '../events/record.ts'
import { assertKnownNames } from '../filters/known-names.ts'
import { assertKnownSortKeys } from '../filters/known-sort-keys.ts'
import { assertCanonicalLength, readFilter } from '../filters/read-filter.ts'
import { createOnceInTransaction } from '../idempotency/record-created.ts'
import { serviceSortFields } from '../services/list/service-list-arguments.ts'
import { lockAccount } from '../users/users.ts'
import {
  assertAllowedByUsers,
  assertMayChangeUsers,
  assertUnused,
  assertWithinLimitsOfUsers,
  replaceView,
} from './used-by.ts'
import { filterKinds, type View, type ViewColumn, type ViewKind, viewTarget } from './view.ts'
import {
  countViewRows,
  findViewByName,
  insertView,
  lockView,
  removeView,
  selectViews,
  writeView,
} from './views.queries.ts'

type Viewing = Pick<Context, 'db' | 'viewer'>

const MAX_COLUMNS = 50
const MAX_LABELS = 10
const MAX_LABEL_LENGTH = 50
const MAX_DESCRIPTION_LENGTH = 1_000
const MAX_WIDTH = 10_000

export interface ViewFilter {
  id?: readonly string[] | null | undefined
  kind?: ViewKind | null | undefined
  label?: string | null | undefined
}

/** Restricted callers see only shared views. An account has few views, so this function filters them in memory. */
export async function listViews({ db, viewer }: Viewing, { id, kind, label }: ViewFilter): Promise<View[]> {
  if (id && id.length > limits.idsPerList)
    throw limitExceeded(`id accepts at most ${limits.idsPerList} IDs, found ${id.length}`)
  const views = await selectViews(db, viewer.accountId)
  return views.filter(
    (view) =>
      (view.isShared || viewer.restriction === undefined) &&
      (id == null || id.includes(view.id)) &&
      (kind == null || view.kind === kind) &&
      (label == null || view.labels.includes(label)),
  )
}

export const countViews = ({ db, viewer }: Viewing): Promise<number> => countViewRows(db, viewer.accountId)

export async function createView(context: Context, args: MutationCreateViewArgs): Promise<View> {
  const { viewer, clock } = context
  const now = clock()
  const kind = args.kind ?? 'DEVICES'
  const view: View = {
    id: `vw_${randomBytes(12).toString('hex')}`,
    name: readName(args.name),
    description: readDescription(args.description),
    kind,
    where: await readWhere(context, kind, args.where),
    context: parseContext(args.context, 'context') ?? null,
    sortBy: await readSortBy(context, kind, args.sortBy ?? []),
    columns: readColumns(args.columns ?? []),
    labels: readLabels(args.labels ?? []),
    isShared: args.isShared ?? true,
    created: now,
    updated: now,
    source: sourceOf(viewer),
    creatorId: actorOf(viewer),
    version: 1,
  }
  const create = async (transaction: Database): Promise<View> => {
    await lockAccount(transaction, viewer.accountId)
    assertBelowLimit('views', { limit: limits.views, found: await countViewRows(transaction, viewer.accountId) })
    await assertFreeName(transaction, viewer.accountId, view)
    await insertView(transaction, viewer.accountId, view)
    await announce({ db: transaction, viewer }, 'VIEW_CREATE', view, dataOf(view))
    return view
  }
  return createOnceInTransaction(context, create, ({ id }) => ({ kind: 'view', id }))
}

/** Updates a view. Changes nothing if any part of the change is invalid. */
export async function updateView(context: Context, args: MutationUpdateViewArgs): Promise<View> {
  const { db, viewer, clock } = context
  const { id, version } = args
  assertStorable(id, 'id')
  const change = {
    ...(args.name != null && { name: readName(args.name) }),
    ...(args.description !== undefined && { description: readDescription(args.description) }),
    ...(args.context !== undefined && { context: parseContext(args.context, 'context') ?? null }),
    ...(args.columns != null && { columns: readColumns(args.columns) }),
    ...(args.labels != null && { labels: readLabels(args.labels) }),
    ...(args.isShared != null && { isShared: args.isShared }),
  }
  const [found] = await listViews({ db, viewer }, { id: [id] })
  if (found === undefined) throw notFound('view', id)
  const where = args.where === undefined ? {} : { where: await readWhere(context, found.kind, args.where) }
  const sortBy = args.sortBy == null ? {} : { sortBy: await readSortBy(context, found.kind, args.sortBy) }
  return db.transaction().execute(async (transaction) => {
    await lockAccount(transaction, viewer.accountId)
    const before = await lockView(transaction, viewer.accountId, id)
    if (before === undefined) throw notFound('view', id)
    if (version != null && version !== before.version)
      throw new ApiError(
        'CONFLICT',
        `the view is now at version ${before.version}, not version ${version}: read the view again, then retry`,
        { version: before.version },
      )
    const changed = { ...before, ...change, ...where, ...sortBy }
    if (isDeepStrictEqual(changed, before)) return before
    await assertMayChangeUsers({ db: transaction, viewer }, { id, field: 'Mutation.updateView' })
    const after = { ...changed, updated: clock(), version: before.version + 1 }
    await assertFreeName(transaction, viewer.accountId, after)
    if (after.where !== before.where) await assertAllowedByUsers({ db: transaction, viewer }, after, 'where')
    await writeView(transaction, viewer.accountId, after)
    if (after.where !== before.where) await assertWithinLimitsOfUsers({ db: transaction, viewer }, id)
    const changes = fieldChanges(dataOf(before), dataOf(after))
    await announce({ db: transaction, viewer }, 'VIEW_UPDATE', after, { changes })
    return after
  })
}

/** Deletes a view. If the view is in use, `replaceBy` must be the ID of the view that replaces it. */
export async function deleteView({ db, viewer }: Viewing, { id, replaceBy }: MutationDeleteViewArgs): Promise<void> {
  assertStorable(id, 'id')
  if (replaceBy != null) assertStorable(replaceBy, 'replaceBy')
  await db.transaction().execute(async (transaction) => {
    // Code that starts to use a view also locks the account, so the view stays unused until the deletion is committed.
    await lockAccount(transaction, viewer.accountId)
    const view = await lockView(transaction, viewer.accountId, id)
    if (view === undefined) throw notFound('view', id)
    const viewing = { db: transaction, viewer }
    if (replaceBy == null) await assertUnused(viewing, view)
    else {
      await assertMayChangeUsers(viewing, { id, field: 'Mutation.deleteView' })
      const other = await lockView(transaction, viewer.accountId, replaceBy)
      assertReplaces(view, other, replaceBy)
      await assertAllowedByUsers(viewing, { ...view, where: other.where }, 'replaceBy')
      await replaceView(viewing, { from: id, to: replaceBy })
      await assertWithinLimitsOfUsers(viewing, replaceBy)
    }
    const deleted = await removeView(transaction, viewer.accountId, id)
    if (deleted === undefined) throw notFound('view', id)
    await announce(viewing, 'VIEW_DELETE', deleted, dataOf(deleted))
  })
}

function assertReplaces(view: View, other: View | undefined, id: string): asserts other is View {
  if (other === undefined) throw notFound('view', id)
  if (other.id === view.id) throw badInput('replaceBy must be the ID of a view other than the one to delete')
  if (other.kind !== view.kind) {
    const kinds = `${view.kind.toLowerCase()}, but ${JSON.stringify(other.name)} lists ${other.kind.toLowerCase()}`
    throw badInput(`replaceBy must be a view of the same kind: ${JSON.stringify(view.name)} lists ${kinds}`)
  }
}

/** Returns the view's data for events, with lists as strings and without the labels and widths of columns. */
const dataOf = ({ name, kind, where, context, sortBy, columns, description, labels, isShared }: View) => ({
  ...{ name, kind, where, context, description, isShared },
  sortBy: sortBy.join(', '),
  columns: columns.map((column) => column.name).join(', '),
  labels: labels.join(', '),
})

const announce = (
  { db, viewer }: Viewing,
  type: EventTypeName,
  view: View,
  data: Record<string, unknown>,
): Promise<void> => recordEvents(db, { viewer }, [{ type, targets: [viewTarget(view)], data }])

async function assertFreeName(db: Database, accountId: string, { id, name }: View): Promise<void> {
  const other = await findViewByName(db, accountId, name)
  if (other !== undefined && other !== id)
    throw new ApiError(
      'CONFLICT',
      `another view has the name ${JSON.stringify(name)} (case-insensitive): choose another name`,
    )
}

function readName(name: string): string {
  assertName(name, 'name', limits.viewNameLength)
  return name
}

function readDescription(description: string | null | undefined): string | null {
  if (description == null || description === '') return null
  assertText(description, 'description', MAX_DESCRIPTION_LENGTH)
  return description
}

/** Returns the canonical form, because fields that later releases add cannot change the meaning of that form. */
async function readWhere(context: Context, kind: ViewKind, where: string | null | undefined): Promise<string | null> {
  const read = where == null ? undefined : readFilter(where, { kind: filterKinds[kind], usage: 'view', path: 'where' })
  if (read === undefined) return null
  assertCanonicalLength(read.canonical, 'where')
  await assertKnownNames(context, read)
  return read.canonical
}

/** Views of events have a fixed order. */
const sortFields: Readonly<Record<Exclude<ViewKind, 'EVENTS'>, readonly string[]>> = {
  DEVICES: deviceSortFields,
  SERVICES: serviceSortFields,
}

/** Rejects the same attributes as the lists of devices and services (see `assertKnownSortKeys`). */
async function readSortBy(context: Context, kind: ViewKind, sortBy: readonly string[]): Promise<string[]> {
  if (sortBy.length === 0) return []
  if (kind === 'EVENTS') throw badInput('sortBy must be empty in a view of events: events are listed newest first')
  const fields = sortFields[kind]
  const keys = readSortKeys(sortBy, (text, path) => {
    const parsed = parseSort(text, fields, path)
    const name = 'field' in parsed ? parsed.field : parseAttributeName(parsed.attribute, path)
    return { name, text: `${'field' in parsed ? parsed.field : parsed.attribute} ${parsed.direction}` }
  })
  const names = keys.map(({ name }) => name)
  await assertKnownSortKeys(context, sortBy, { kind: filterKinds[kind], names, fields })
  return [...sortBy]
}

function readColumns(columns: NonNullable<MutationCreateViewArgs['columns']>): ViewColumn[] {
  assertAtMost(MAX_COLUMNS, columns.length, { path: 'columns', what: 'items' })
  return columns.map(({ name, label, width }, index) => {
    const path = `columns[${index}]`
    parseAttributeName(name, `${path}.name`)
    if (label != null) assertText(label, `${path}.label`, limits.viewNameLength)
    if (width != null && (width < 1 || width > MAX_WIDTH))
      throw badInput(`${path}.width must be from 1 to ${MAX_WIDTH} pixels, not ${width}`)
    return { name, label: label ?? null, width: width ?? null }
  })
}

function readLabels(labels: readonly string[]): string[] {
  assertAtMost(MAX_LABELS, labels.length, { path: 'labels', what: 'items' })
  for (const [index, label] of labels.entries()) assertName(label, `labels[${index}]`, MAX_LABEL_LENGTH)
  return [...new Set(labels)]
}
