import { schemaPart } from '../../graphql/assemble.ts'
import { lookAhead } from '../../graphql/selection.ts'
import { limits } from '../../limits.ts'
import { describeSource } from '../events/event-source.ts'
import { findActor } from '../users/people/find-actor.ts'
import { loadItems, loadJob, loadUndo } from './bulk.loaders.ts'
import { type BulkJob, countsOf, isEnded, previewEnd, writing } from './bulk-job.ts'
import { findJobs, listJobs } from './bulk-lists.ts'
import { appendBulk, createBulk, previewBulk, runBulk } from './create-bulk.ts'
import { reportUrl, secretsUrl } from './downloads/job-downloads.ts'
import { isUndoable, retryBulk, undoBulk } from './retry-and-undo.ts'
import { cancelBulk, pauseBulk, resumeBulk, startBulk } from './start-pause-cancel.ts'

const DAY_MS = 86_400_000

const selectsChanges = lookAhead(['items'], new Set(['changes']))

function progressOf(job: BulkJob): number {
  const { state, total, plannedCount, done, failed, skipped } = job
  const changing = writing(job)
  if (state === 'PREVIEWING') return total === 0 ? 0 : plannedCount / total
  if (state === 'DONE') return 1
  return changing === 0 ? 0 : (done + failed + skipped) / changing
}

function expiresOf(job: BulkJob): Date | null {
  if (job.state === 'READY') return previewEnd(job)
  if (!isEnded(job)) return null
  return new Date((job.finished ?? job.created).getTime() + limits.bulkDays * DAY_MS)
}

export const bulkPart = schemaPart(new URL('./bulk.graphql', import.meta.url), {
  User: {
    bulkJob: (_user, { id }, context) => findJobs(context, id),
    bulkJobs: (_user, args, context) => listJobs(context, args),
  },
  Mutation: {
    createBulk: (_root, args, context) => createBulk(context, args),
    appendBulk: (_root, args, context) => appendBulk(context, args),
    previewBulk: (_root, { id }, context) => previewBulk(context, id),
    startBulk: (_root, args, context) => startBulk(context, args),
    runBulk: (_root, args, context) => runBulk(context, args),
    pauseBulk: (_root, { id }, context) => pauseBulk(context, id),
    resumeBulk: (_root, args, context) => resumeBulk(context, args),
    cancelBulk: (_root, { id }, context) => cancelBulk(context, id),
    retryBulk: (_root, args, context) => retryBulk(context, args),
    undoBulk: (_root, args, context) => undoBulk(context, args),
  },
  BulkJob: {
    stateReason: ({ reason }) => reason,
    counts: (job) => countsOf(job),
    progress: (job) => progressOf(job),
    createdBy: async ({ createdBy, actorId }, _args, context) =>
      describeSource({ source: createdBy, deviceId: null, targets: [] }, await findActor(context, actorId)),
    async startedBy({ startedBy, starter }, _args, context) {
      if (startedBy === null) return null
      const user = await findActor(context, starter?.personId ?? context.viewer.accountId)
      return describeSource({ source: startedBy, deviceId: null, targets: [] }, user)
    },
    expires: (job) => expiresOf(job),
    isUndoable: (job) => isUndoable(job),
    reportUrl: (job, _args, context) => reportUrl(context, job),
    secretsUrl: (job, _args, context) => secretsUrl(context, job),
    undoOf: ({ undoOf }, _args, context) => (undoOf === null ? null : loadJob(context, undoOf)),
    undoneBy: ({ id }, _args, context) => loadUndo(context, id),
    items: ({ id }, args, context, info) => loadItems(context, { args, withChanges: selectsChanges(info) }, id),
  },
})

export const bulkItemsPart = schemaPart(new URL('./bulk-items.graphql', import.meta.url), {
  BulkItem: { device: ({ id, name }) => ({ id, name, kind: 'device' }) },
})
