import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../../db/database.ts'
import { ApiError, notFound } from '../../../errors.ts'
import type { Changes } from '../../attributes/apply-changes.ts'
import { parseAttributeName } from '../../attributes/attribute-name.ts'
import { type Attributes, emptyObject, valueAt } from '../../attributes/attributes.ts'
import { readDevices } from '../../attributes/locked-targets.ts'
import { attributesIn } from '../../attributes/target.ts'
import type { FieldName } from '../../devices/device.ts'
import {
  type JobFilter,
  selectChangesOf,
  selectFields,
  selectHardwareIds,
  selectMatching,
  selectPlannedHardwareIds,
} from '../bulk-items.queries.ts'
import type { BulkItem, CsvRow, DeviceChanges, NewDevice } from '../bulk-job.ts'
import type { BulkJobRow } from '../bulk-jobs.queries.ts'
import { selectByKeys, selectRows, selectServicesOf, selectUntouched } from '../bulk-rows.queries.ts'
import { planRow } from '../rows/plan-row.ts'
import { applyContextChanges, applyOperations, type BulkDevice, isEmpty } from './operations.ts'

export type Plan = Omit<BulkItem, 'eventIds'>

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
      : [...undone.values()].flatMap(({ setAttributes = [] }) => setAttributes.map(({ context }) => context)),
  )
  const devices = await readBulkDevices(db, accountId, {
    ids,
    contexts: [...contexts].map((each) => each ?? undefined),
  })
  const isCsv = 'csv' in job.target && undone === undefined
  const rows = isCsv ? await selectRows(db, { accountId, jobId: job.id }, ids) : new Map<string, CsvRow>()
  const services = Map.groupBy(
    [...rows.values()].some((row) => row.services.length > 0) ? await selectServicesOf(db, accountId, ids) : [],
    ({ deviceId }) => deviceId,
  )
  const namesInUse = await findNamesInUse(db, accountId, [...rows.values()])
  const untouched = [...(undone?.values() ?? [])].some(({ register }) => register !== undefined)
    ? await selectUntouched(db, { accountId, jobId: job.undoOf! }, ids)
    : new Set<string>()
  const unmatched = filter === undefined ? undefined : await findUnmatched(db, accountId, { ids, filter })
  const plans = ids.map((id): Plan => {
    const device = devices.get(id)
    const row = rows.get(id)
    if (row !== undefined)
      return planOfRow(row, device, { id, operations: job.operations, services: services.get(id) ?? [], namesInUse })
    if (device === undefined) {
      if (undone !== undefined) return { ...emptyPlan(id), status: 'SKIPPED', reason: 'GONE' }
      return rejected(id, notFound('device', id))
    }
    const name = device.fields.name!
    if (unmatched?.has(id)) return { ...emptyPlan(id), name, status: 'SKIPPED', reason: 'NO_LONGER_MATCHES' }
    try {
      if (undone !== undefined) return { ...planUndo(device, undone.get(id) ?? {}, untouched.has(id)), name }
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

const rejected = (id: string, { code, message }: ApiError): Plan => ({
  ...emptyPlan(id),
  outcome: 'REJECTED',
  status: 'FAILED',
  code,
  message,
})

/**
 * Reverts each value that has not changed since the job wrote it. For all other values, the item contains the reason.
 */
function planUndo(
  device: BulkDevice,
  { setAttributes = [], update = {}, register }: DeviceChanges,
  isUntouched: boolean,
): Plan {
  if (register !== undefined) return planRemoval(device, register, isUntouched)
  let isPart = false
  const reverted: NonNullable<DeviceChanges['setAttributes']> = []
  for (const { context, changes } of setAttributes) {
    const present = attributesIn(device.target, context ?? undefined)
    const back: Changes = emptyObject()
    for (const [name, change] of Object.entries(changes)) {
      if (valueAt(present, parseAttributeName(name, 'name')) === change.new)
        back[name] = { old: change.new, new: change.old }
      else isPart = true
    }
    if (Object.keys(back).length > 0) reverted.push({ context, changes: back })
  }
  applyContextChanges(device.target, reverted)
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

/** Deletes a device that the job registered, if nothing has changed since. */
function planRemoval(device: BulkDevice, register: NewDevice, isUntouched: boolean): Plan {
  const { name, hardwareId, platform, attributes } = register
  const isSame =
    isUntouched &&
    isDeepStrictEqual(device.fields, { name, hardwareId, platform }) &&
    JSON.stringify(sorted(device.target.base)) === JSON.stringify(sorted(attributes as Attributes))
  if (isSame) return planOf(device.id, { delete: { name } })
  return { ...emptyPlan(device.id), status: 'SKIPPED', reason: 'CHANGED_SINCE' }
}

const sorted = (attributes: Attributes): unknown =>
  Object.entries(attributes)
    .map(([name, value]) => [name, typeof value === 'string' ? value : Object.entries(value).sort()])
    .sort()

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
