import type { Context } from '../../context.ts'
import { type ApiError, badInput, limitExceeded } from '../../errors.ts'
import { listOf, readPage } from '../../graphql/lists/paging.ts'
import { loaderByArguments, loaderById } from '../../graphql/loaders.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { once } from '../../lib/once.ts'
import { limits } from '../../limits.ts'
import type { BulkJobItemsArgs } from '../../resolvers.generated.ts'
import { insideOf } from '../../restriction.ts'
import { readableItem } from './access/readable-items.ts'
import { creatorSeenBy } from './access/visible-jobs.ts'
import { countItems, type ItemPages, selectItemPages } from './bulk-item-pages.queries.ts'
import { type BulkItemList, type BulkJob, withExpiry } from './bulk-job.ts'
import { selectJobs, selectUndos } from './bulk-jobs.queries.ts'

const loaderOf = (select: typeof selectJobs, keyOf: (job: BulkJob) => string) =>
  loaderById({ missing: null, cache: false }, async ({ db, viewer, clock }: Context, ids) => {
    const found = await select(db, viewer.accountId, { ids: [...new Set(ids)], creator: creatorSeenBy(viewer) })
    return new Map(found.map((job) => [keyOf(job), withExpiry(job, clock())]))
  })

const jobs = loaderOf(selectJobs, ({ id }) => id)
const undos = loaderOf(selectUndos, ({ undoOf }) => undoOf!)

/** Resolves to null if the job has been deleted or the caller cannot see it. */
export const loadJob = (context: Context, id: string): Promise<BulkJob | null> => jobs(context).load(id)

export const loadUndo = (context: Context, id: string): Promise<BulkJob | null> => undos(context).load(id)

interface ItemQuery {
  args: BulkJobItemsArgs
  withChanges: boolean
}

export const loadItems = loaderByArguments(readPages)

async function readPages(
  context: Context,
  { args: { outcome, status, ...args }, withChanges }: ItemQuery,
  ids: readonly string[],
): Promise<BulkItemList[]> {
  const { db, viewer, rowMeter, firstRecord } = context
  const { size, start } = readPage(args, { order: 'bulkItems', firstRecord })
  const after = 'afterId' in start ? start.afterId : 'afterPlace' in start ? start.afterPlace.id : ''
  if (after.includes('\0')) throw badInput('after must be a device ID or a cursor from the previous page')
  const slice = { outcomes: outcome ?? undefined, statuses: status ?? undefined, inside: insideOf(viewer) }
  const jobIds = [...new Set(ids)]
  if (outcome != null || status != null) rowMeter.add(({ devices }) => devices * jobIds.length)
  const query = { jobIds, slice, after: after.toLowerCase(), size, withNext: true }
  const found = withChanges
    ? await readWithChanges(context, query)
    : await selectItemPages(db, viewer.accountId, { ...query, changeBytes: undefined })
  const items = Map.groupBy(found.items, ({ jobId }) => jobId)
  const count = once(() => {
    rowMeter.add(({ devices }) => devices * jobIds.length)
    return countItems(db, viewer.accountId, { jobIds, slice })
  })
  return ids.map((id) =>
    listOf({
      rows: items.get(id) ?? [],
      size,
      order: 'bulkItems',
      placeOf: (item) => ({ id: item.id, key: null }),
      toItem: (item) => readableItem(viewer, item),
      total: async () => (await count()).get(id) ?? 0,
    }),
  )
}

/**
 * `bytes` is the maximum size of the changes on the remaining pages of a response. `reading` is the last read of
 * changes, which the next read waits for.
 */
const changeBudgets = perRequest((_context: Context) => ({
  bytes: limits.answerBytes,
  reading: Promise.resolve<unknown>(undefined),
}))

/**
 * Reads items with their changes. Throws LIMIT_EXCEEDED if the changes on all pages of the response together exceed
 * `limits.answerBytes`.
 */
function readWithChanges(context: Context, query: Omit<ItemPages, 'changeBytes'>) {
  const budget = changeBudgets(context)
  const reading = budget.reading.then(async () => {
    const found = await selectItemPages(context.db, context.viewer.accountId, { ...query, changeBytes: budget.bytes })
    budget.bytes -= found.bytes
    if (found.isCut || budget.bytes < 0) throw tooLarge()
    return found
  })
  budget.reading = reading.catch(() => {})
  return reading
}

const tooLarge = (): ApiError =>
  limitExceeded(
    `the changes to these devices have more than ${limits.answerBytes} bytes: pass a smaller size to get fewer devices per page`,
    { limit: limits.answerBytes },
  )
