import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { selectHardwareIds, selectPlannedHardwareIds, type UnplannedItem } from '../bulk-items.queries.ts'
import { setsHardwareId } from '../bulk-job.ts'
import type { BulkJobRow } from '../bulk-jobs.queries.ts'
import { selectByKeys } from '../bulk-rows.queries.ts'
import { type Plan, rejected } from './plan.ts'

interface ToCheck {
  job: BulkJobRow
  prepared: readonly UnplannedItem[]
  plans: readonly Plan[]
  inside: ResolvedFilter | undefined
}

/**
 * Returns the plans and rejections. Replaces a plan with a rejection if its hardware ID is taken. Adds a rejection for
 * each prepared device whose hardware ID is taken. For a prepared device without a hardware ID, adds a rejection if its
 * name is taken.
 */
export async function rejectConflicts(
  db: Database,
  accountId: string,
  { job, prepared, plans, inside }: ToCheck,
): Promise<Plan[]> {
  const unidentified = prepared.filter(({ hardwareId }) => hardwareId === null)
  const names = unidentified.map(({ name }) => name)
  const namesInUse = await findNamesInUse(db, accountId, { names, inside })
  const ofPlans = plans.map(({ id, changes: { update, register } }) => ({
    id,
    hardwareId: update?.hardwareId?.new ?? register?.hardwareId ?? null,
  }))
  const wanted = [...prepared, ...ofPlans].sort((one, other) => (one.id < other.id ? -1 : 1))
  const areDistinct =
    job.changing === 0 &&
    plans.every(({ changes: { update } }) => update?.hardwareId === undefined) &&
    !job.operations.some(setsHardwareId)
  const taken = await findTaken(db, accountId, { job, wanted, areDistinct })
  const reject = <Item extends { id: string; name: string }>(item: Item): Plan | undefined => {
    const error = taken.get(item.id)
    return error && rejectedItem(item, error)
  }
  return [
    ...plans.map((plan) => reject(plan) ?? plan),
    ...prepared.flatMap((item) => reject(item) ?? []),
    ...unidentified.filter(({ name }) => namesInUse.has(name)).map((item) => rejectedItem(item, nameTaken(item.name))),
  ]
}

const rejectedItem = ({ id, name }: { id: string; name: string }, error: ApiError): Plan => ({
  ...rejected(id, error),
  name,
})

/** Returns those of `names` that a device already has. Ignores devices that the caller cannot reach. */
export async function findNamesInUse(
  db: Database,
  accountId: string,
  { names, inside }: { names: readonly string[]; inside: ResolvedFilter | undefined },
): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const found = await selectByKeys(db, accountId, { ids: [], hardwareIds: [], names, inside })
  return new Set(found.map(({ name }) => name))
}

export const nameTaken = (name: string): ApiError =>
  new ApiError(
    'CONFLICT',
    `a device with the name ${JSON.stringify(name)} now exists, so the job does not register another: to update the device, create another job`,
  )

/**
 * Returns the errors, keyed by device ID. A hardware ID is taken if another device has it, or if the job also gives it
 * to a device with a lower ID. `wanted` is in ID order. `areDistinct` means that the job gives each hardware ID to at
 * most one device. The rows of such a job have distinct hardware IDs, and none of its updates or operations sets a
 * hardware ID.
 */
async function findTaken(
  db: Database,
  accountId: string,
  {
    job,
    wanted,
    areDistinct,
  }: { job: BulkJobRow; wanted: readonly { id: string; hardwareId: string | null }[]; areDistinct: boolean },
): Promise<Map<string, ApiError>> {
  const hardwareIds = [...new Set(wanted.flatMap(({ hardwareId }) => hardwareId ?? []))]
  if (hardwareIds.length === 0) return new Map()
  const owners = await selectHardwareIds(db, accountId, hardwareIds)
  const place = { accountId, jobId: job.id }
  const given = areDistinct
    ? new Map<string, string>()
    : await selectPlannedHardwareIds(db, place, { hardwareIds, upTo: job.planned ?? '' })
  const errors = new Map<string, ApiError>()
  for (const { id, hardwareId } of wanted) {
    if (hardwareId === null) continue
    const owner = owners.get(hardwareId)
    const other = given.get(hardwareId)
    given.set(hardwareId, other ?? id)
    const text = JSON.stringify(hardwareId)
    if (owner !== undefined && owner !== id)
      errors.set(id, new ApiError('CONFLICT', `hardwareId ${text} is in use by another of your devices`))
    else if (other !== undefined)
      errors.set(
        id,
        new ApiError('CONFLICT', `the job gives the hardwareId ${text} to this device and to device ${other}`),
      )
  }
  return errors
}
