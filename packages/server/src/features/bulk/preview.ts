import { randomBytes } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Changes } from '../attributes/apply-changes.ts'
import { parseAttributeName } from '../attributes/attribute-name.ts'
import { valueAt } from '../attributes/attributes.ts'
import { readDevices } from '../attributes/locked-targets.ts'
import { applyWrite } from '../attributes/set-attributes.ts'
import { attributesIn } from '../attributes/target.ts'
import type { FieldName } from '../devices/device.ts'
import { readStoredFilter } from '../views/use-view.ts'
import {
  deleteItems,
  insertItemsOf,
  insertMatching,
  type JobFilter,
  selectChangesOf,
  selectFields,
  selectHardwareIds,
  selectUnplanned,
  writePlans,
} from './bulk-items.queries.ts'
import type { BulkItem, BulkJob, DeviceChanges } from './bulk-job.ts'
import { type BulkJobRow, writeJob } from './bulk-jobs.queries.ts'
import { applyOperations, type BulkDevice, isEmpty, writesOf } from './operations.ts'

/** Devices that one step of a preview reads. */
const PLANNED_AT_ONCE = 250

/** Returns the filter of a job's preview; undefined for a list of devices. */
export function filterOf({ filter, context, previewed, id }: BulkJob): JobFilter | undefined {
  if (filter === null || previewed === null) return undefined
  const where = readStoredFilter(filter, {
    place: { kind: 'device', path: 'where' },
    name: `the filter of the job ${id}`,
  })
  return where === undefined ? undefined : { where, context: context ?? undefined, now: previewed }
}

/**
 * Finds the devices of a job at a single point in time. A list of IDs stays unchanged. The devices are then previewed in steps.
 * `job` must be locked.
 */
export async function beginPreview(
  db: Database,
  accountId: string,
  { job, now }: { job: BulkJobRow; now: Date },
): Promise<BulkJobRow> {
  const place = { accountId, jobId: job.id }
  const begun = { ...job, previewed: now }
  const filter = filterOf(begun)
  let total = job.total
  if (filter !== undefined) {
    await deleteItems(db, place)
    total = await insertMatching(db, place, { filter, limit: limits.bulkTargets + 1 })
  } else if ('job' in job.target) {
    await deleteItems(db, place)
    total = await insertItemsOf(db, place, { from: job.target.job, statuses: job.target.statuses })
  }
  if (total > limits.bulkTargets)
    throw new ApiError('LIMIT_EXCEEDED', `a bulk job has at most ${limits.bulkTargets} devices, found more`)
  const zero = { plannedCount: 0, changing: 0, unchanged: 0, rejected: 0, done: 0, failed: 0, skipped: 0 }
  const change = {
    state: 'PREVIEWING',
    previewed: now,
    total,
    planned: null,
    token: null,
    reason: null,
    ...zero,
  } as const
  await writeJob(db, accountId, job.id, change)
  return { ...begun, ...change }
}

/** Previews the next devices of a job. The job is READY after the last one. `job` must be locked. */
export async function previewStep(db: Database, accountId: string, job: BulkJobRow): Promise<BulkJobRow> {
  const place = { accountId, jobId: job.id }
  const ids = await selectUnplanned(db, place, { after: job.planned, limit: PLANNED_AT_ONCE })
  const items = ids.length === 0 ? [] : await planDevices(db, accountId, { job, ids })
  if (items.length > 0) await writePlans(db, place, items)
  const count = (isCounted: (item: Plan) => boolean): number => items.filter(isCounted).length
  const isLast = ids.length < PLANNED_AT_ONCE
  const change = {
    planned: ids.at(-1) ?? job.planned,
    plannedCount: job.plannedCount + ids.length,
    changing: job.changing + count(({ outcome }) => outcome === 'CHANGE'),
    unchanged: job.unchanged + count(({ outcome }) => outcome === 'UNCHANGED'),
    rejected: job.rejected + count(({ outcome }) => outcome === 'REJECTED'),
    ...(isLast && { state: 'READY' as const, token: randomBytes(12).toString('hex') }),
  }
  await writeJob(db, accountId, job.id, change)
  return { ...job, ...change }
}

type Plan = Omit<BulkItem, 'eventIds'>

/** Computes a job's changes to devices. Writes nothing and takes no locks on devices. */
async function planDevices(
  db: Database,
  accountId: string,
  { job, ids }: { job: BulkJob; ids: readonly string[] },
): Promise<Plan[]> {
  const undone = job.undoOf === null ? undefined : await selectChangesOf(db, { accountId, jobId: job.undoOf }, ids)
  const contexts = new Set(
    undone === undefined
      ? job.operations.flatMap((operation) => ('setAttributes' in operation ? [operation.setAttributes.context] : []))
      : [...undone.values()].flatMap(({ setAttributes = [] }) => setAttributes.map(({ context }) => context)),
  )
  const devices = await readBulkDevices(db, accountId, {
    ids,
    contexts: [...contexts].map((each) => each ?? undefined),
  })
  const plans = ids.map((id): Plan => {
    const device = devices.get(id)
    if (device === undefined) {
      if (undone !== undefined) return { ...emptyPlan(id), status: 'SKIPPED', reason: 'GONE' }
      return rejected(id, notFound('device', id))
    }
    const name = device.fields.name!
    try {
      if (undone !== undefined) return { ...planUndo(device, undone.get(id) ?? {}), name }
      return { ...planOf(id, applyOperations(device, job.operations)), name }
    } catch (error) {
      if (error instanceof ApiError) return { ...rejected(id, error), name }
      throw error
    }
  })
  return rejectTaken(db, accountId, plans)
}

/** Reads devices with all data that operations need. `contexts` are the contexts in which attributes are set. */
export async function readBulkDevices(
  db: Database,
  accountId: string,
  { ids, contexts }: { ids: readonly string[]; contexts: readonly (string | undefined)[] },
): Promise<Map<string, BulkDevice>> {
  const all = [...new Set([undefined, ...contexts])]
  const places = ids.flatMap((targetId) => all.map((context) => ({ targetId, context })))
  const targets = await readDevices(db, accountId, places)
  const rows = await selectFields(db, accountId, ids)
  const found = rows.flatMap(({ id, state, ...fields }): [string, BulkDevice][] => {
    const target = targets.get(id)
    return target === undefined ? [] : [[id, { id, state, fields, target }]]
  })
  return new Map(found)
}

const emptyPlan = (id: string): Plan => ({
  id,
  name: '',
  outcome: 'UNCHANGED',
  status: 'UNCHANGED',
  reason: null,
  changes: {},
  code: null,
  message: null,
})

const planOf = (id: string, changes: DeviceChanges): Plan =>
  isEmpty(changes) ? emptyPlan(id) : { ...emptyPlan(id), outcome: 'CHANGE', status: 'PENDING', changes }

const rejected = (id: string, { code, message }: ApiError): Plan => ({
  ...emptyPlan(id),
  outcome: 'REJECTED',
  status: 'FAILED',
  code,
  message,
})

/** Reverts each value that has not changed since the job wrote it. For all other values, the item contains the reason. */
function planUndo(device: BulkDevice, { setAttributes = [], update = {} }: DeviceChanges): Plan {
  let isPart = false
  const reverted: DeviceChanges['setAttributes'] = []
  for (const { context, changes } of setAttributes) {
    const present = attributesIn(device.target, context ?? undefined)
    const back: Changes = {}
    for (const [name, change] of Object.entries(changes)) {
      if (valueAt(present, parseAttributeName(name, 'name')) === change.new)
        back[name] = { old: change.new, new: change.old }
      else isPart = true
    }
    if (Object.keys(back).length > 0) reverted.push({ context, changes: back })
  }
  for (const { context, changes } of reverted)
    for (const writes of writesOf(changes))
      applyWrite(device.target, {
        targetId: device.id,
        context: context ?? undefined,
        path: 'attributes',
        changes: writes,
      })
  const fields = Object.entries(update).filter(([name, change]) => device.fields[name as FieldName] === change.new)
  if (fields.length < Object.keys(update).length) isPart = true
  const plan = planOf(device.id, {
    ...(reverted.length > 0 && { setAttributes: reverted }),
    ...(fields.length > 0 && {
      update: Object.fromEntries(fields.map(([name, change]) => [name, { old: change.new, new: change.old }])),
    }),
  })
  if (!isPart) return plan
  return { ...plan, reason: 'CHANGED_SINCE', ...(plan.outcome === 'UNCHANGED' && { status: 'SKIPPED' }) }
}

/** Rejects hardware IDs that other devices have. */
async function rejectTaken(db: Database, accountId: string, plans: readonly Plan[]): Promise<Plan[]> {
  const newId = ({ changes }: Plan): string | null => changes.update?.hardwareId?.new ?? null
  const wanted = plans.map(newId).filter((id) => id !== null)
  if (wanted.length === 0) return [...plans]
  const taken = await selectHardwareIds(db, accountId, wanted)
  return plans.map((plan) => {
    const hardwareId = newId(plan)
    const owner = hardwareId === null ? undefined : taken.get(hardwareId)
    if (owner === undefined || owner === plan.id) return plan
    const message = `hardwareId ${JSON.stringify(hardwareId)} is in use by another of your devices`
    return { ...rejected(plan.id, new ApiError('CONFLICT', message)), name: plan.name }
  })
}
