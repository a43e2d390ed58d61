import type { Context } from '../../context.ts'
import { ApiError, badInput } from '../../errors.ts'
import { listOf, readPage } from '../../graphql/lists/paging.ts'
import { limits } from '../../limits.ts'
import { countItems, selectItemPage } from './bulk-items.queries.ts'
import type { BulkItemList, BulkItemStatus, BulkJob, BulkJobList, BulkOutcome, BulkState } from './bulk-job.ts'
import { withExpiry } from './bulk-job.ts'
import { countJobs, selectJobPage, selectJobs, selectUndos } from './bulk-jobs.queries.ts'

interface Paging {
  size?: number | null
  after?: string | null
}

export async function findJobs({ db, viewer, clock }: Context, ids: readonly string[]): Promise<BulkJob[]> {
  if (ids.length > limits.idsPerList)
    throw new ApiError('LIMIT_EXCEEDED', `id accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  const stored = [...new Set(ids)].filter((id) => !id.includes('\0'))
  const found = new Map(
    (await selectJobs(db, viewer.accountId, stored)).map((job) => [job.id, withExpiry(job, clock())]),
  )
  return stored.flatMap((id) => found.get(id) ?? [])
}

export async function findUndo({ db, viewer, clock }: Context, id: string): Promise<BulkJob | null> {
  const [job] = await selectUndos(db, viewer.accountId, [id])
  return job === undefined ? null : withExpiry(job, clock())
}

export async function listJobs(
  context: Context,
  { state, ...args }: Paging & { state?: readonly BulkState[] | null },
): Promise<BulkJobList> {
  const { db, viewer, clock, firstRecord } = context
  const { size, start } = readPage(args, { order: 'bulkJobs', firstRecord })
  const now = clock()
  const states = state ?? undefined
  const id = 'afterId' in start ? start.afterId : 'afterPlace' in start ? start.afterPlace.id : undefined
  const [after] = id === undefined ? [] : await selectJobs(db, viewer.accountId, [id])
  if (id !== undefined && after === undefined) throw new ApiError('NOT_FOUND', `no bulk job ${JSON.stringify(id)}`)
  const rows = await selectJobPage(db, viewer.accountId, { states, after, limit: size + 1, now })
  return listOf({
    rows,
    size,
    order: 'bulkJobs',
    placeOf: (job) => ({ id: job.id, key: null }),
    toItem: (job) => withExpiry(job, now),
    total: () => countJobs(db, viewer.accountId, { states, now }),
  })
}

export async function listItems(
  { db, viewer, firstRecord }: Context,
  jobId: string,
  {
    outcome,
    status,
    ...args
  }: Paging & { outcome?: readonly BulkOutcome[] | null; status?: readonly BulkItemStatus[] | null },
): Promise<BulkItemList> {
  const { size, start } = readPage(args, { order: 'bulkItems', firstRecord })
  const after = 'afterId' in start ? start.afterId : 'afterPlace' in start ? start.afterPlace.id : ''
  if (after.includes('\0')) throw badInput('after must be a device ID or a cursor from the previous page')
  const slice = { jobId, outcomes: outcome ?? undefined, statuses: status ?? undefined }
  const rows = await selectItemPage(db, viewer.accountId, { slice, after: after.toLowerCase(), limit: size + 1 })
  return listOf({
    rows,
    size,
    order: 'bulkItems',
    placeOf: ({ id }) => ({ id, key: null }),
    toItem: (item) => item,
    total: () => countItems(db, viewer.accountId, slice),
  })
}
