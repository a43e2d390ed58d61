import type { Context } from '../../context.ts'
import { limitExceeded, notFound } from '../../errors.ts'
import { listOf, readPage, type Start, wrongPlace } from '../../graphql/lists/paging.ts'
import { limits } from '../../limits.ts'
import type { UserBulkJobsArgs } from '../../resolvers.generated.ts'
import { creatorSeenBy } from './access/visible-jobs.ts'
import { type BulkJob, type BulkJobList, withExpiry } from './bulk-job.ts'
import { countJobs, selectJobPage } from './bulk-job-pages.queries.ts'
import { selectJobs } from './bulk-jobs.queries.ts'

export async function findJobs({ db, viewer, clock }: Context, ids: readonly string[]): Promise<BulkJob[]> {
  if (ids.length > limits.idsPerList)
    throw limitExceeded(`id accepts at most ${limits.idsPerList} IDs, found ${ids.length}`)
  const creator = creatorSeenBy(viewer)
  const stored = [...new Set(ids)].filter((id) => !id.includes('\0'))
  const found = new Map(
    (await selectJobs(db, viewer.accountId, { ids: stored, creator })).map((job) => [job.id, withExpiry(job, clock())]),
  )
  return stored.flatMap((id) => found.get(id) ?? [])
}

async function findStart({ db, viewer }: Context, start: Start): Promise<Pick<BulkJob, 'created' | 'id'> | undefined> {
  if ('offset' in start) return undefined
  const id = 'afterId' in start ? start.afterId : start.afterPlace.id
  // The cursors of earlier releases do not contain the time at which the job was created.
  const time = 'afterPlace' in start ? start.afterPlace.key : null
  if (typeof time === 'number') return { created: readTime(time), id }
  const creator = creatorSeenBy(viewer)
  const [job] = id.includes('\0') ? [] : await selectJobs(db, viewer.accountId, { ids: [id], creator })
  if (job === undefined) throw notFound('bulk job', id)
  return job
}

function readTime(time: number): Date {
  const date = new Date(time)
  if (time < 0 || Number.isNaN(date.getTime())) throw wrongPlace()
  return date
}

export async function listJobs(context: Context, { state, ...args }: UserBulkJobsArgs): Promise<BulkJobList> {
  const { db, viewer, clock, firstRecord } = context
  const { size, start } = readPage(args, { order: 'bulkJobs', firstRecord })
  const now = clock()
  const slice = { states: state ?? undefined, creator: creatorSeenBy(viewer) }
  const after = await findStart(context, start)
  const rows = await selectJobPage(db, viewer.accountId, { ...slice, after, limit: size + 1, now })
  return listOf({
    rows,
    size,
    order: 'bulkJobs',
    placeOf: ({ id, created }) => ({ id, key: created.getTime() }),
    toItem: (job) => withExpiry(job, now),
    total: () => countJobs(db, viewer.accountId, { ...slice, now }),
  })
}
