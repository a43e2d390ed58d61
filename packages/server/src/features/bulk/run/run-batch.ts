import type { Database } from '../../../db/database.ts'
import { ApiError } from '../../../errors.ts'
import { bytesOfChanges, bytesOfItems } from '../../../rate-limits/storage-quotas.ts'
import { parseAttributeName } from '../../attributes/attribute-name.ts'
import { valueAt } from '../../attributes/attributes.ts'
import { lockTargets, saveTargets } from '../../attributes/locked-targets.ts'
import { changeEvent } from '../../attributes/set-attributes.ts'
import { attributesIn, type Target } from '../../attributes/target.ts'
import { deleteLockedDevices, lockDevicesToDelete, writeDevice } from '../../devices/changes/device-changes.ts'
import { addDevices, prepareDevice } from '../../devices/changes/new-device.ts'
import type { DeviceFields, FieldName } from '../../devices/device.ts'
import { drawEventIds, type NewEvent, recordEvents } from '../../events/record.ts'
import {
  type FieldsRow,
  type ItemResult,
  lockPending,
  type PendingItem,
  selectFields,
  selectHardwareIds,
  selectMatching,
  writeResults,
} from '../bulk-items.queries.ts'
import type { BulkJob, BulkSkipReason, NewDevice } from '../bulk-job.ts'
import { selectUntouched } from '../bulk-rows.queries.ts'
import { filterOf } from '../preview/job-filter.ts'
import { applyContextChanges } from '../preview/operations.ts'
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
 * A batch that has changed its devices and recorded their results, but not its events, which a transaction records
 * last.
 */
export interface Batch {
  results: ItemResult[]
  recordEvents(): Promise<void>
}

interface BatchOptions {
  job: BulkJob
  limit: number
  /** The only devices that the batch may change. */
  ids?: readonly string[] | undefined
  /** Charges the account for the bytes that the changes store. May throw RATE_LIMITED. */
  charge: (bytes: number) => void
}

/**
 * Changes the next devices of a job, in the transaction that locks `job`. Throws DeviceError if a device must be
 * excluded. The caller records the events at the end of the transaction.
 */
export async function runBatch(db: Database, accountId: string, options: BatchOptions): Promise<Batch> {
  const { job, limit, ids, charge } = options
  const place = { accountId, jobId: job.id }
  const items = await lockPending(db, place, { limit, ids })
  if (items.length === 0) return { results: [], recordEvents: async () => {} }
  const devices = await lockDevices(db, accountId, items)
  const filter = filterOf(job)
  const found = items.map(({ id }) => id).filter((id) => devices.has(id))
  const matching =
    filter === undefined
      ? new Set(found)
      : new Set((await selectMatching(db, accountId, { filter, among: { ids: found } })).map(({ id }) => id))
  const touched = await findTouched(db, accountId, { job, items })
  const results: ItemResult[] = []
  const accepted: Accepted[] = []
  const registered: Registration[] = []
  for (const item of items) {
    const device = devices.get(item.id)
    if (item.changes.register !== undefined && device === undefined) {
      registered.push({ id: item.id, device: item.changes.register })
      results.push({ id: item.id, status: 'DONE' })
      continue
    }
    const isTouched = device !== undefined && touched.has(item.id)
    const reason = isTouched ? 'CHANGED_SINCE' : reasonToSkip(item, device, matching.has(item.id))
    results.push({ id: item.id, ...(reason === undefined ? { status: 'DONE' } : { status: 'SKIPPED', reason }) })
    if (reason === undefined && device !== undefined) accepted.push({ item, device })
  }
  const deleted = accepted.filter(({ item }) => item.changes.delete !== undefined)
  const changed = accepted.filter(({ item }) => item.changes.delete === undefined)
  assertDeletable(job, deleted)
  const changeEvents = await apply(db, accountId, changed)
  const events = [...changeEvents, ...(await register(db, accountId, registered))]
  const bytes = changeEvents.reduce((sum, { data }) => sum + bytesOfChanges(data.changes as Written), 0)
  if (accepted.length + registered.length > 0)
    charge(bytes + deleted.length * bytesOfChanges({}) + bytesOfItems(registered))

  const eventIds = await drawEventIds(db, events.length + deleted.length)
  const numbered = events.map((event, index) => ({ ...event, id: eventIds[index]! }))
  const removed = deleted.map(({ device: { fields } }, index) => ({
    ...rowOf(fields),
    eventId: eventIds[events.length + index]!,
  }))
  const ofDevices = Map.groupBy(
    [
      ...numbered.map(({ id, deviceId }) => ({ id, deviceId })),
      ...removed.map((row) => ({ id: row.eventId, deviceId: row.id })),
    ],
    ({ deviceId }) => deviceId,
  )
  const withEvents = results.map((result) => ({
    ...result,
    events: ofDevices.get(result.id)?.map(({ id }) => id) ?? [],
  }))
  await writeResults(db, place, withEvents)
  const context = { viewer: viewerOfJob(accountId, job) }
  return {
    results,
    async recordEvents() {
      await recordEvents(db, context, numbered)
      if (removed.length > 0) await deleteLockedDevices(db, context, removed)
    },
  }
}

type Written = Record<string, { new: string | null }>

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
  const targets = await lockTargets(db, accountId, { places, inside: undefined })
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

/** Writes the changes. Returns their events. */
async function apply(db: Database, accountId: string, accepted: readonly Accepted[]): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  for (const each of accepted) events.push(...(await inDevice(each.item.id, () => setAttributes(each))))
  const targets = accepted.map(({ device }) => device.target!)
  await saveTargets(db, accountId, targets)
  for (const each of accepted) {
    const event = await updateFields(db, accountId, each)
    if (event !== undefined) events.push(event)
  }
  return events
}

/** Returns the devices that an undo must not delete, because they have changed since the undone job registered them. */
async function findTouched(
  db: Database,
  accountId: string,
  { job: { undoOf }, items }: { job: BulkJob; items: readonly PendingItem[] },
): Promise<Set<string>> {
  const ids = undoOf === null ? [] : items.filter(({ changes }) => changes.delete !== undefined).map(({ id }) => id)
  if (undoOf === null || ids.length === 0) return new Set()
  const untouched = await selectUntouched(db, { accountId, jobId: undoOf }, ids)
  return new Set(ids.filter((id) => !untouched.has(id)))
}

interface Registration {
  id: string
  device: NewDevice
}

/** Adds new devices. Returns their events. */
async function register(db: Database, accountId: string, registered: readonly Registration[]): Promise<NewEvent[]> {
  if (registered.length === 0) return []
  const hardwareIds = registered.flatMap(({ device }) => device.hardwareId ?? [])
  const taken = hardwareIds.length === 0 ? new Map() : await selectHardwareIds(db, accountId, hardwareIds)
  const conflict = registered.find(({ device }) => device.hardwareId !== null && taken.has(device.hardwareId))
  if (conflict !== undefined) {
    const message = `hardwareId ${JSON.stringify(conflict.device.hardwareId)} is in use by another of your devices`
    throw new DeviceError(conflict.id, new ApiError('CONFLICT', message))
  }
  const prepared = registered.map(({ id, device }) => prepareDevice(device, id))
  await addDevices(
    db,
    accountId,
    prepared.map(({ row }) => row),
  )
  return prepared.map(({ event }) => event)
}

function assertDeletable(job: BulkJob, deleted: readonly Accepted[]): void {
  if (job.operations.some((operation) => 'delete' in operation && operation.delete.force)) return
  const active = deleted.find(({ device }) => device.fields.state === 'active')
  if (active === undefined) return
  const message = `device ${active.item.id} is active: pass force: true to delete it anyway`
  throw new DeviceError(active.item.id, new ApiError('CONFLICT', message))
}

const rowOf = ({ id, name, hardwareId, platform }: FieldsRow): DeviceFields & { id: string } => ({
  ...{ id, name, hardwareId, platform },
})

/** Applies the changes in memory. Returns one event for each context. */
const setAttributes = ({ item, device }: Accepted): NewEvent[] =>
  applyContextChanges(device.target!, item.changes.setAttributes ?? []).map(({ context, changes }) =>
    changeEvent(device.target!, context, changes),
  )

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
