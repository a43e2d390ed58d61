import type { Database } from '../../../db/database.ts'
import { ApiError, limitExceeded, notFound } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import { bytesOf } from '../../../rate-limits/storage-quotas.ts'
import { insideOf } from '../../../restriction.ts'
import { findReachedDevices } from '../../judging/new-devices.ts'
import { registersOutside } from '../../restrictions/assert-may-change.ts'
import { assertMayChangeDevice } from '../access/job-restrictions.ts'
import { type JobFilter, selectChangesOf, selectMatching, type UnplannedItem } from '../bulk-items.queries.ts'
import type { BulkOperation, CsvRow, DeviceChanges } from '../bulk-job.ts'
import type { BulkJobRow } from '../bulk-jobs.queries.ts'
import { selectRows, selectUntouched } from '../bulk-rows.queries.ts'
import { planRow } from '../rows/plan-row.ts'
import type { JobCaller } from '../run/starter.ts'
import { fitInMemory } from '../sizes/bulk-sizes.ts'
import { applyOperations } from './operations.ts'
import { emptyPlan, type Plan, planOf, rejected } from './plan.ts'
import { concernsServices, planUndo } from './plan-undo.ts'
import { type BulkDevice, readBulkDevices } from './read-bulk-devices.ts'
import { findServiceMatches } from './service-operations.ts'
import { findNamesInUse } from './taken-identifiers.ts'

interface PlanOptions {
  job: BulkJobRow
  items: readonly UnplannedItem[]
  filter: JobFilter | undefined
  caller: JobCaller
}

/**
 * Plans the changes to as many of the devices as fit in memory, starting with the first device. Rejects the first
 * device if it does not fit by itself. Takes no locks on devices.
 */
export async function planDevices(
  db: Database,
  accountId: string,
  { job, items, filter, caller }: PlanOptions,
): Promise<Plan[]> {
  const inside = insideOf(caller)
  const asked = items.map(({ id }) => id)
  const undone = job.undoOf === null ? undefined : await selectChangesOf(db, { accountId, jobId: job.undoOf }, asked)
  const contexts = [
    ...new Set(
      undone === undefined
        ? job.operations.flatMap((operation) =>
            'setAttributes' in operation ? (operation.setAttributes.context ?? []) : [],
          )
        : [...undone.values()].flatMap(({ changes }) =>
            (changes.setAttributes ?? []).flatMap(({ context }) => context ?? []),
          ),
    ),
  ]
  const isCsv = 'csv' in job.target && undone === undefined
  const rows = isCsv ? await selectRows(db, { accountId, jobId: job.id }, asked) : new Map<string, CsvRow>()
  const operations = undone === undefined ? job.operations : []
  const withServices =
    operations.some(changesServices) ||
    [...rows.values()].some(({ services }) => services.length > 0) ||
    [...(undone?.values() ?? [])].some(({ changes }) => concernsServices(changes))
  const { ids, error } = await fitInMemory(db, accountId, {
    ids: asked,
    contexts,
    withServices: withServices ? asked : [],
    inside,
  })
  if (error !== undefined) return [{ ...rejected(ids[0]!, error), name: items[0]!.name }]
  const now = job.previewed ?? job.created
  const matches = await findServiceMatches(db, accountId, { operations, ids, now, caller })
  const devices = await readBulkDevices(db, accountId, { ids, inside, contexts, withServices, matches })
  const newNames = [...rows.values()].flatMap(({ isNew, hardwareId, name }) =>
    isNew === true && hardwareId === null ? (name ?? []) : [],
  )
  const namesInUse = await findNamesInUse(db, accountId, { names: newNames, inside })
  const untouched = [...(undone?.values() ?? [])].some(({ changes }) => changes.register !== undefined)
    ? await selectUntouched(db, { accountId, jobId: job.undoOf! }, ids)
    : new Set<string>()
  const unmatched = filter === undefined ? undefined : await findUnmatched(db, accountId, { ids, filter })
  const plans = ids.map((id): Plan => {
    const device = devices.get(id)
    const row = rows.get(id)
    if (row !== undefined) return planOfRow(row, device, { id, operations: job.operations, namesInUse, caller })
    if (device === undefined) {
      if (undone !== undefined) return { ...emptyPlan(id), status: 'SKIPPED', reason: 'GONE' }
      return rejected(id, notFound('device', id))
    }
    const name = device.fields.name!
    if (unmatched?.has(id)) return { ...emptyPlan(id), name, status: 'SKIPPED', reason: 'NO_LONGER_MATCHES' }
    try {
      if (undone !== undefined) {
        const earlier = undone.get(id) ?? { changes: {}, isRestored: false }
        const plan = planUndo(device, earlier, untouched.has(id))
        assertMayChangeDevice(caller, plan.changes)
        return { ...plan, name }
      }
      const changes = withinLimit(applyOperations(device, job.operations))
      assertMayChangeDevice(caller, changes)
      return { ...planOf(id, changes), name }
    } catch (error) {
      if (error instanceof ApiError) return { ...rejected(id, error), name }
      throw error
    }
  })
  return rejectOutside(db, accountId, { plans, caller })
}

const changesServices = (operation: BulkOperation): boolean =>
  'addService' in operation ||
  'removeService' in operation ||
  ('setAttributes' in operation && operation.setAttributes.services !== undefined)

function withinLimit(changes: DeviceChanges): DeviceChanges {
  const found = bytesOf(changes)
  if (found <= limits.bulkChangeBytes) return changes
  const message = `a bulk job records at most ${limits.bulkChangeBytes} bytes of old and new values per device, but the changes to this device have ${found} bytes: make fewer or smaller changes in one job`
  throw limitExceeded(message, { limit: limits.bulkChangeBytes, found })
}

async function findUnmatched(
  db: Database,
  accountId: string,
  { ids, filter }: { ids: readonly string[]; filter: JobFilter },
): Promise<Set<string>> {
  const unmatched = new Set(ids)
  for (const { id } of await selectMatching(db, accountId, { filter, among: { ids } })) unmatched.delete(id)
  return unmatched
}

function planOfRow(
  row: CsvRow,
  device: BulkDevice | undefined,
  { caller, ...context }: Parameters<typeof planRow>[2] & { caller: JobCaller },
): Plan {
  const name = device?.fields.name ?? row.name ?? ''
  try {
    const changes = withinLimit(planRow(row, device, context))
    assertMayChangeDevice(caller, changes)
    if (changes.register === undefined) return { ...planOf(context.id, changes), name }
    return { ...planOf(context.id, changes), outcome: 'REGISTER', name: changes.register.name }
  } catch (error) {
    if (error instanceof ApiError) return { ...rejected(context.id, error), name }
    throw error
  }
}

async function rejectOutside(
  db: Database,
  accountId: string,
  { plans, caller }: { plans: readonly Plan[]; caller: JobCaller },
): Promise<Plan[]> {
  const inside = insideOf(caller)
  const registered = plans.flatMap(({ id, changes: { register } }) =>
    register === undefined ? [] : { ...register, id },
  )
  if (inside === undefined || registered.length === 0) return [...plans]
  const reached = await findReachedDevices(db, accountId, { inside, devices: registered })
  return plans.map((plan) => {
    if (plan.changes.register === undefined || reached.has(plan.id)) return plan
    return { ...rejected(plan.id, registersOutside()), name: plan.name }
  })
}
