import { type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { SavedView } from '../../db/tables.generated.ts'
import type { EventSource } from '../events/event-types.ts'
import type { View, ViewColumn, ViewKind } from './view.ts'

const columns = [
  ...(['id', 'kind', 'name', 'description', 'filter', 'context', 'sort_by', 'columns', 'labels'] as const),
  ...(['is_shared', 'created', 'updated', 'source', 'version'] as const),
] as const

type ViewRow = Pick<Selectable<SavedView>, (typeof columns)[number]>

/** The column `source` also contains the creator's ID, because no other column identifies who created a view. */
type StoredSource = EventSource & { personId?: string | null }

function toView({ filter, kind, sort_by, is_shared, columns: own, source, ...row }: ViewRow): View {
  const { personId = null, ...ofSource } = source as unknown as StoredSource
  return {
    ...row,
    kind: kind as ViewKind,
    where: filter,
    sortBy: sort_by,
    columns: own as unknown as ViewColumn[],
    isShared: is_shared,
    source: ofSource,
    creatorId: personId,
  }
}

const toRow = ({ where, sortBy, isShared, columns: own, source, creatorId, ...view }: View) => ({
  ...view,
  filter: where,
  sort_by: sortBy,
  is_shared: isShared,
  columns: JSON.stringify(own),
  source: JSON.stringify({ ...source, personId: creatorId } satisfies StoredSource),
})

const fromViews = (db: Database, accountId: string) =>
  db.selectFrom('saved_view').select(columns).where('account_id', '=', accountId)

export async function selectViews(db: Database, accountId: string): Promise<View[]> {
  const rows = await fromViews(db, accountId).orderBy(sql`name collate natural_order`).orderBy('id').execute()
  return rows.map(toView)
}

export async function selectView(db: Database, accountId: string, id: string): Promise<View | undefined> {
  const row = await fromViews(db, accountId).where('id', '=', id).executeTakeFirst()
  return row && toView(row)
}

export async function lockView(db: Database, accountId: string, id: string): Promise<View | undefined> {
  const row = await fromViews(db, accountId).where('id', '=', id).forUpdate().executeTakeFirst()
  return row && toView(row)
}

export async function countViewRows(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('saved_view')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function findViewByName(db: Database, accountId: string, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('saved_view')
    .select('id')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`lower(name collate "und-x-icu") = lower(${name}::text collate "und-x-icu")`)
    .executeTakeFirst()
  return row?.id
}

export async function insertView(db: Database, accountId: string, view: View): Promise<void> {
  await db
    .insertInto('saved_view')
    .values({ account_id: accountId, ...toRow(view) })
    .execute()
}

export async function writeView(db: Database, accountId: string, view: View): Promise<void> {
  const { id, ...changes } = toRow(view)
  await db.updateTable('saved_view').set(changes).where('account_id', '=', accountId).where('id', '=', id).execute()
}

export async function removeView(db: Database, accountId: string, id: string): Promise<View | undefined> {
  const row = await db
    .deleteFrom('saved_view')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  return row && toView(row)
}
