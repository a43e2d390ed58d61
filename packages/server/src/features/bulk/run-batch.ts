import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { Changes } from '../attributes/apply-changes.ts'
import { parseAttributeName } from '../attributes/attribute-name.ts'
import { valueAt } from '../attributes/attributes.ts'
import { lockTargets, saveTargets } from '../attributes/locked-targets.ts'
import { applyWrite, changeEvent } from '../attributes/set-attributes.ts'
import { attributesIn, type Target } from '../attributes/target.ts'
import { deleteLockedDevices, lockDevicesToDelete, writeDevice } from '../devices/changes/device-changes.ts'
import type { DeviceFields, FieldName } from '../devices/device.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import {
  type FieldsRow,
  type ItemResult,
  lockPending,
  type PendingItem,
  readLastEvent,
  selectFields,
  selectMatchingIds,
  writeResults,
} from './bulk-items.queries.ts'
import type { BulkJob, BulkSkipReason } from './bulk-job.ts'
import { writesOf } from './operations.ts'
import { filterOf } from './preview.ts'
import { viewerOfJob } from './starter.ts'

/** An error that affects only one device of its batch. */
export class DeviceError extends Error {
  readonly deviceId: string
  override readonly cause: ApiError

  constructor(deviceId: string, cause: ApiError) {
    super(cause.message)
    this.deviceId = deviceId
    this.cause = cause
  }
}

/**
 * Changes the next devices of a job, in one transaction: the changes, their events, and the results. Returns the results. `job`
 * must be locked. Throws DeviceError if a device must be excluded.
 */
export async function runBatch(
  db: Database,
  accountId: string,
  { job, limit, ids }: { job: BulkJob; limit: number; ids?: readonly string[] | undefined },
): Promise<ItemResult[]> {
  const place = { accountId, jobId: job.id }
  const items = await lockPending(db, place, { limit, ids })
  if (items.length === 0) return []
  const devices = await lockDevices(db, accountId, items)
  const sinceEvent = await readLastEvent(db)
  const filter = filterOf(job)
  const found = items.map(({ id }) => id).filter((id) => devices.has(id))
  const matching =
    filter === undefined ? new Set(found) : await selectMatchingIds(db, accountId, { filter, ids: found })
  const results: ItemResult[] = []
  const accepted: Accepted[] = []
  for (const item of items) {
    const device = devices.get(item.id)
    const reason = reasonToSkip(item, device, matching.has(item.id))
    results.push({ id: item.id, ...(reason === undefined ? { status: 'DONE' } : { status: 'SKIPPED', reason }) })
    if (reason === undefined && device !== undefined) accepted.push({ item, device })
  }
  await apply(db, accountId, { job, accepted })
  await writeResults(db, place, { results, sinceEvent })
  return results
}

interface LockedBulkDevice {
  fields: FieldsRow
  /** Undefined for a device that is about to be deleted. */
  target: Target | undefined
}

interface Accepted {
  item: PendingItem
  device: LockedBulkDevice
}

/** Locks the devices in ID order, and reads the values that the job compares. */
async function lockDevices(
  db: Database,
  accountId: string,
  items: readonly PendingItem[],
): Promise<Map<string, LockedBulkDevice>> {
  const deleted = items.filter(({ changes }) => changes.delete !== undefined).map(({ id }) => id)
  if (deleted.length > 0) await lockDevicesToDelete(db, accountId, deleted)
  const places = items
    .filter(({ changes }) => changes.delete === undefined)
    .flatMap(({ id, changes: { setAttributes = [] } }) => [
      { targetId: id, context: undefined },
      ...setAttributes.map(({ context }) => ({ targetId: id, context: context ?? undefined })),
    ])
  const targets = await lockTargets(db, accountId, places)
  const rows = await selectFields(
    db,
    accountId,
    items.map(({ id }) => id),
  )
  return new Map(rows.map((fields) => [fields.id, { fields, target: targets.get(fields.id) }]))
}

function reasonToSkip(
  { changes }: PendingItem,
  device: LockedBulkDevice | undefined,
  isMatching: boolean,
): BulkSkipReason | undefined {
  if (device === undefined) return 'GONE'
  if (!isMatching) return 'NO_LONGER_MATCHES'
  const { fields, target } = device
  const { update = {}, setAttributes = [] } = changes
  const areFieldsOld = Object.entries(update).every(([name, { old }]) => fields[name as FieldName] === old)
  const areValuesOld = setAttributes.every((each) => {
    const present = attributesIn(target!, each.context ?? undefined)
    return Object.entries(each.changes).every(
      ([name, { old }]) => valueAt(present, parseAttributeName(name, 'name')) === old,
    )
  })
  return areFieldsOld && areValuesOld ? undefined : 'CHANGED_SINCE'
}

/** Writes the changes, then their events. */
async function apply(
  db: Database,
  accountId: string,
  { job, accepted }: { job: BulkJob; accepted: readonly Accepted[] },
): Promise<void> {
  const context = { viewer: viewerOfJob(accountId, job) }
  const deleted = accepted.filter(({ item }) => item.changes.delete !== undefined)
  if (deleted.length > 0) return remove(db, accountId, { job, deleted })
  const events: NewEvent[] = []
  for (const each of accepted) events.push(...(await inDevice(each.item.id, () => setAttributes(each))))
  await saveTargets(
    db,
    accountId,
    accepted.map(({ device }) => device.target!),
  )
  for (const each of accepted) {
    const event = await updateFields(db, accountId, each)
    if (event !== undefined) events.push(event)
  }
  await recordEvents(db, context, events)
}

async function remove(
  db: Database,
  accountId: string,
  { job, deleted }: { job: BulkJob; deleted: readonly Accepted[] },
): Promise<void> {
  const isForced = job.operations.some((operation) => 'delete' in operation && operation.delete.force)
  const active = deleted.find(({ device }) => device.fields.state === 'active')
  if (active !== undefined && !isForced) {
    const message = `device ${active.item.id} is active: pass force: true to delete it anyway`
    throw new DeviceError(active.item.id, new ApiError('CONFLICT', message))
  }
  const devices = deleted.map(({ device: { fields } }) => rowOf(fields))
  await deleteLockedDevices(db, { viewer: viewerOfJob(accountId, job) }, devices)
}

const rowOf = ({ id, name, hardwareId, platform }: FieldsRow): DeviceFields & { id: string } => ({
  ...{ id, name, hardwareId, platform },
})

/** Applies the changes in memory, and returns one event for each context. */
function setAttributes({ item, device }: Accepted): NewEvent[] {
  const target = device.target!
  return (item.changes.setAttributes ?? []).flatMap(({ context, changes }) => {
    const inContext = context ?? undefined
    const applied: Changes = {}
    for (const writes of writesOf(changes)) {
      const write = { targetId: item.id, context: inContext, path: 'attributes', changes: writes }
      Object.assign(applied, applyWrite(target, write))
    }
    return Object.keys(applied).length === 0 ? [] : [changeEvent(target, inContext, applied)]
  })
}

async function updateFields(
  db: Database,
  accountId: string,
  { item, device }: Accepted,
): Promise<NewEvent | undefined> {
  const changes = item.changes.update
  if (changes === undefined) return undefined
  const values = Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change.new]))
  const after = { ...rowOf(device.fields), ...values } as DeviceFields & { id: string }
  await inDevice(item.id, () => writeDevice(db, accountId, after))
  const targets = [{ id: after.id, name: after.name, kind: 'device' as const }]
  return { type: 'DEVICE_UPDATE', deviceId: after.id, targets, data: { changes } }
}

async function inDevice<Result>(deviceId: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw new DeviceError(deviceId, error)
    throw error
  }
}
