import type { Database } from '../../../db/database.ts'
import { ApiError, notFound } from '../../../errors.ts'
import {
  type JobFilter,
  selectChangesOf,
  selectHardwareIds,
  selectMatching,
  selectPlannedHardwareIds,
} from '../bulk-items.queries.ts'
import type { CsvRow } from '../bulk-job.ts'
import type { BulkJobRow } from '../bulk-jobs.queries.ts'
import { selectByKeys, selectRows, selectUntouched } from '../bulk-rows.queries.ts'
import { planRow } from '../rows/plan-row.ts'
import { type BulkDevice, readBulkDevices } from './bulk-device.ts'
import { applyOperations } from './operations.ts'
import { emptyPlan, type Plan, planOf, rejected } from './plan.ts'
import { concernsServices, planUndo } from './plan-undo.ts'
import { findServiceMatches } from './service-operations.ts'

/** Computes a job's changes to devices. Writes nothing and takes no locks on devices. */
export async function planDevices(
  db: Database,
  accountId: string,
  { job, ids, filter }: { job: BulkJobRow; ids: readonly string[]; filter: JobFilter | undefined },
): Promise<Plan[]> {
  const undone = job.undoOf === null ? undefined : await selectChangesOf(db, { accountId, jobId: job.undoOf }, ids)
  const contexts = new Set(
    undone === undefined
      ? job.operations.flatMap((operation) => ('setAttributes' in operation ? [operation.setAttributes.context] : []))
      : [...undone.values()].flatMap(({ changes }) => (changes.setAttributes ?? []).map(({ context }) => context)),
  )
  const isCsv = 'csv' in job.target && undone === undefined
  const rows = isCsv ? await selectRows(db, { accountId, jobId: job.id }, ids) : new Map<string, CsvRow>()
  const operations = undone === undefined ? job.operations : []
  const matches = await findServiceMatches(db, accountId, { operations, ids, now: job.previewed ?? job.created })
  const devices = await readBulkDevices(db, accountId, {
    ids,
    contexts: [...contexts].map((each) => each ?? undefined),
    withServices:
      operations.some((operation) => 'addService' in operation || matches.has(operation)) ||
      [...rows.values()].some(({ services }) => services.length > 0) ||
      [...(undone?.values() ?? [])].some(({ changes }) => concernsServices(changes)),
    matches,
  })
  const namesInUse = await findNamesInUse(db, accountId, [...rows.values()])
  const untouched = [...(undone?.values() ?? [])].some(({ changes }) => changes.register !== undefined)
    ? await selectUntouched(db, { accountId, jobId: job.undoOf! }, ids)
    : new Set<string>()
  const unmatched = filter === undefined ? undefined : await findUnmatched(db, accountId, { ids, filter })
  const plans = ids.map((id): Plan => {
    const device = devices.get(id)
    const row = rows.get(id)
    if (row !== undefined) return planOfRow(row, device, { id, operations: job.operations, namesInUse })
    if (device === undefined) {
      if (undone !== undefined) return { ...emptyPlan(id), status: 'SKIPPED', reason: 'GONE' }
      return rejected(id, notFound('device', id))
    }
    const name = device.fields.name!
    if (unmatched?.has(id)) return { ...emptyPlan(id), name, status: 'SKIPPED', reason: 'NO_LONGER_MATCHES' }
    try {
      if (undone !== undefined) {
        const earlier = undone.get(id) ?? { changes: {}, isRestored: false }
        return { ...planUndo(device, earlier, untouched.has(id)), name }
      }
      return { ...planOf(id, applyOperations(device, job.operations)), name }
    } catch (error) {
      if (error instanceof ApiError) return { ...rejected(id, error), name }
      throw error
    }
  })
  return rejectTaken(db, accountId, { job, plans })
}

/** Returns the names of the rows that register devices, if another device has the name by now. */
async function findNamesInUse(db: Database, accountId: string, rows: readonly CsvRow[]): Promise<Set<string>> {
  const names = rows.flatMap((row) => (row.isNew === true && row.hardwareId === null ? (row.name ?? []) : []))
  if (names.length === 0) return new Set()
  return new Set((await selectByKeys(db, accountId, { ids: [], hardwareIds: [], names })).map(({ name }) => name))
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

function planOfRow(row: CsvRow, device: BulkDevice | undefined, context: Parameters<typeof planRow>[2]): Plan {
  const name = device?.fields.name ?? row.name ?? ''
  try {
    const changes = planRow(row, device, context)
    if (changes.register === undefined) return { ...planOf(context.id, changes), name }
    return { ...planOf(context.id, changes), outcome: 'REGISTER', name: changes.register.name }
  } catch (error) {
    if (error instanceof ApiError) return { ...rejected(context.id, error), name }
    throw error
  }
}

/** Rejects hardware IDs that other devices have, and those that the job also gives to a device with a lower ID. */
async function rejectTaken(
  db: Database,
  accountId: string,
  { job, plans }: { job: BulkJobRow; plans: readonly Plan[] },
): Promise<Plan[]> {
  const newId = ({ changes }: Plan): string | null =>
    changes.update?.hardwareId?.new ?? changes.register?.hardwareId ?? null
  const wanted = plans.map(newId).filter((id) => id !== null)
  if (wanted.length === 0) return [...plans]
  const taken = await selectHardwareIds(db, accountId, wanted)
  const given = await selectPlannedHardwareIds(
    db,
    { accountId, jobId: job.id },
    { hardwareIds: wanted, upTo: job.planned ?? '' },
  )
  return plans.map((plan) => {
    const hardwareId = newId(plan)
    if (hardwareId === null) return plan
    const owner = taken.get(hardwareId)
    const other = given.get(hardwareId)
    given.set(hardwareId, other ?? plan.id)
    const text = JSON.stringify(hardwareId)
    if (owner !== undefined && owner !== plan.id)
      return rejectedPlan(plan, `hardwareId ${text} is in use by another of your devices`)
    if (other !== undefined) return rejectedPlan(plan, `the job also gives the hardwareId ${text} to device ${other}`)
    return plan
  })
}

const rejectedPlan = ({ id, name }: Plan, message: string): Plan => ({
  ...rejected(id, new ApiError('CONFLICT', message)),
  name,
})
