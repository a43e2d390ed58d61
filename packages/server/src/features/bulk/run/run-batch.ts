import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import { sentTogether } from '../../../db/sent-together.ts'
import { ApiError } from '../../../errors.ts'
import { bytesOfChanges, bytesOfItems } from '../../../rate-limits/storage-quotas.ts'
import { insideOf } from '../../../restriction.ts'
import { lockTargets, saveTargets } from '../../attributes/lock-and-save-targets.ts'
import { changeEvent } from '../../attributes/set-attributes.ts'
import { countNewDevices } from '../../devices/changes/bulk-registration.ts'
import { lockDevicesForRemoval } from '../../devices/changes/device-changes.queries.ts'
import { deleteLockedDevices, writeDevice } from '../../devices/changes/device-changes.ts'
import type { DeviceFields } from '../../devices/device.ts'
import { drawEventIds, type NewEvent, recordEvents } from '../../events/record.ts'
import { assertMayChangeDevice } from '../access/job-restrictions.ts'
import { type FieldsRow, selectFields, selectMatching } from '../bulk-items.queries.ts'
import type { BulkJob } from '../bulk-job.ts'
import { selectUntouched } from '../bulk-rows.queries.ts'
import type { JobSecrets } from '../downloads/job-secrets.ts'
import { filterOf } from '../preview/job-filter.ts'
import { applyContextChanges } from '../preview/operations.ts'
import { nameTaken } from '../preview/taken-identifiers.ts'
import {
  assertServicesFit,
  type DeviceWithServices,
  insertNewServices,
  readServices,
  servicesToLock,
  writeServices,
} from './apply-planned-services.ts'
import { DeviceError } from './device-error.ts'
import { changesOfDevice, type NextBatch, type Registration } from './next-batch.ts'
import { type ItemResult, type PendingItem, writeResults } from './pending.queries.ts'
import { type LockedBulkDevice, reasonToSkip, targetOf } from './reason-to-skip.ts'
import { assertNoneTaken, findTakenNames, registerDevices } from './register-devices.ts'
import { type JobCaller, viewerOfJob } from './starter.ts'

/**
 * A running batch. It has sent the statements that add devices and record results. `recordEvents` sends the remaining
 * statements.
 */
export interface Batch {
  results: ItemResult[]
  /** Settles when the statements that have been sent end. Wait for it with `sentTogether`. */
  written: Promise<unknown>
  /** Deletes the devices to delete and then records the events. */
  recordEvents(): Promise<void>
}

interface BatchOptions {
  job: BulkJob
  caller: JobCaller
  next: NextBatch
  /** Charges the account for the bytes that the batch writes. May throw RATE_LIMITED. */
  charge: (bytes: number) => void
  secrets: JobSecrets | undefined
}

/** Throws DeviceError for a device that makes the batch fail. Call `recordEvents` at the end of the transaction. */
export async function runBatch(db: Database, accountId: string, options: BatchOptions): Promise<Batch> {
  const { job, caller, next, charge, secrets } = options
  const { items } = next
  const inside = insideOf(caller)
  if (items.length === 0) return { results: [], written: Promise.resolve(), recordEvents: async () => {} }
  const existing = items.filter(({ changes }) => changes.register === undefined)
  const devices = await lockDevices(db, accountId, { items: existing, inside })
  const filter = filterOf(job, caller)
  const found = items.map(({ id }) => id).filter((id) => devices.has(id))
  const matching =
    filter === undefined
      ? new Set(found)
      : new Set((await selectMatching(db, accountId, { filter, among: { ids: found } })).map(({ id }) => id))
  const isCsv = 'csv' in job.target
  const touched = await findTouched(db, accountId, { job, items })
  const place = { accountId, jobId: job.id }
  const takenNames = await findTakenNames(db, place, { registrations: next.registrations.values(), inside })
  const results: ItemResult[] = []
  const accepted: Accepted[] = []
  const registered: Registration[] = []
  for (const item of items) {
    const device = devices.get(item.id)
    const registration = next.registrations.get(item.id)
    if (registration !== undefined) {
      const { id, rowName } = registration
      if (rowName !== null && takenNames.has(rowName)) {
        results.push({ id, status: 'SKIPPED', reason: 'CHANGED_SINCE', message: nameTaken(rowName).message })
      } else {
        registered.push(registration)
        results.push({ id, status: 'DONE' })
      }
      continue
    }
    const isTouched = device !== undefined && touched.has(item.id)
    const reason = isTouched
      ? 'CHANGED_SINCE'
      : reasonToSkip(item, device, { isMatching: matching.has(item.id), isCsv })
    results.push({ id: item.id, ...(reason === undefined ? { status: 'DONE' } : { status: 'SKIPPED', reason }) })
    if (reason === undefined && device !== undefined) accepted.push({ item, device })
  }
  for (const { item } of accepted) await withDeviceError(item.id, () => assertMayChangeDevice(caller, item.changes))
  for (const { id, device } of registered)
    await withDeviceError(id, () => assertMayChangeDevice(caller, { register: device }))
  const deleted = accepted.filter(({ item }) => item.changes.delete !== undefined)
  const changed = accepted.filter(({ item }) => item.changes.delete === undefined)
  assertDeletable(job, deleted)
  assertNoneTaken(registered, next.takenHardwareIds)
  const changeEvents = await apply(db, accountId, changed)
  const bytes = changeEvents.reduce((sum, { data }) => sum + bytesOfData(data), 0)
  if (accepted.length + registered.length > 0)
    charge(
      bytes + deleted.length * bytesOfChanges({}) + bytesOfItems(registered.map(({ id, device }) => ({ id, device }))),
    )

  const [{ ids: eventIds, time }] = await sentTogether([
    drawEventIds(db, changeEvents.length + registered.length + deleted.length),
    countNewDevices(db, accountId, registered.length),
  ])
  const events = [...changeEvents, ...registered.map(({ event }) => ({ ...event, timestamp: time }))]
  const numbered = events.map((event, index) => ({ ...event, id: eventIds[index]! }))
  const removed = deleted.map(({ device: { fields } }, index) => ({
    ...rowOf(fields),
    eventId: eventIds[events.length + index]!,
  }))
  const recorded = [...numbered, ...removed.map(({ eventId, id }) => ({ id: eventId, deviceId: id }))]
  const ofDevices = Map.groupBy(recorded, ({ deviceId }) => deviceId)
  const withEvents = results.map((result) => ({
    ...result,
    events: ofDevices.get(result.id)?.map(({ id }) => id) ?? [],
  }))
  const context = { viewer: viewerOfJob(accountId, job) }
  const registering = registerDevices(db, accountId, { registered, created: time, secrets, inside })
  return {
    results,
    written: sentTogether([registering, writeResults(db, place, withEvents)]),
    async recordEvents() {
      // If the caller is restricted, `registering` sends another statement after the insert. The events must be
      // inserted after that statement.
      if (inside !== undefined) await registering
      if (removed.length > 0) await deleteLockedDevices(db, context, removed)
      await recordEvents(db, context, numbered)
    },
  }
}

const bytesOfData = (data: NewEvent['data']): number =>
  'changes' in data ? bytesOfChanges(data.changes as Record<string, { new: string | null }>) : bytesOfItems([data])

interface Accepted {
  item: PendingItem
  device: LockedBulkDevice
}

/**
 * Locks the devices in ID order. If the batch deletes any of its devices, locks all of them in the way that a deletion
 * requires. A second statement for the other devices could lock a device with a lower ID. Returns the devices, keyed by
 * ID. Omits devices that the caller cannot reach.
 */
async function lockDevices(
  db: Database,
  accountId: string,
  { items, inside }: { items: readonly PendingItem[]; inside: ResolvedFilter | undefined },
): Promise<Map<string, LockedBulkDevice>> {
  if (items.length === 0) return new Map()
  const ids = items.map(({ id }) => id)
  if (items.some(({ changes }) => changes.delete !== undefined))
    await lockDevicesForRemoval(db, accountId, { ids, inside })
  const places = items
    .filter(({ changes }) => changes.delete === undefined)
    .flatMap(({ id, changes }) => [
      { targetId: id, context: undefined },
      ...changesOfDevice(changes.setAttributes).map(({ context }) => ({ targetId: id, context: context ?? undefined })),
      ...servicesToLock(changes).map((targetId) => ({ targetId, context: undefined })),
    ])
  const targets = await lockTargets(db, accountId, { places, inside })
  const rows = await selectFields(db, accountId, { ids, inside })
  const found = new Set(rows.map(({ id }) => id))
  const present = items.filter(({ id }) => found.has(id))
  const servicesOf = await readServices(db, accountId, present)
  return new Map(
    rows.map((fields) => [fields.id, { fields, target: targets.get(fields.id), services: servicesOf(fields) }]),
  )
}

async function apply(db: Database, accountId: string, accepted: readonly Accepted[]): Promise<NewEvent[]> {
  const devices = accepted.map(({ item, device: { fields, services, target } }): DeviceWithServices => {
    const device = { id: fields.id, name: fields.name }
    return { changes: item.changes, device, services, lockedAt: target?.lockedAt }
  })
  for (const each of devices) await withDeviceError(each.device.id, () => assertServicesFit(each))
  const events = await insertNewServices(db, accountId, devices)
  for (const each of accepted) events.push(...(await withDeviceError(each.item.id, () => setAttributes(each))))
  const targets = accepted.flatMap(({ device }) => [device.target!, ...device.services.map(({ target }) => target)])
  await saveTargets(db, accountId, targets)
  for (const each of accepted) {
    const event = await updateFields(db, accountId, each)
    if (event !== undefined) events.push(event)
  }
  return [...events, ...(await writeServices(db, accountId, devices))]
}

/**
 * Returns the IDs of the devices that an undo must not delete, because they have connected or changed since the undone
 * job registered them.
 */
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

function assertDeletable(job: BulkJob, deleted: readonly Accepted[]): void {
  if (job.operations.some((operation) => 'delete' in operation && operation.delete.force)) return
  const active = deleted.find(({ device }) => device.fields.state === 'active')
  if (active === undefined) return
  const message = `device ${active.item.id} is active: pass force to delete it anyway`
  throw new DeviceError(active.item.id, new ApiError('CONFLICT', message))
}

const rowOf = ({ state: _state, ...row }: FieldsRow): DeviceFields & { id: string } => row

function setAttributes({ item, device }: Accepted): NewEvent[] {
  const byTarget = Map.groupBy(item.changes.setAttributes ?? [], (each) => targetOf(device, each)!)
  return [...byTarget].flatMap(([target, all]) =>
    applyContextChanges(target, all).map(({ context, changes }) => changeEvent(target, context, changes)),
  )
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
  await withDeviceError(item.id, () => writeDevice(db, accountId, after))
  const targets = [{ id: after.id, name: after.name, kind: 'device' as const }]
  return { type: 'DEVICE_UPDATE', deviceId: after.id, targets, data: { changes } }
}

async function withDeviceError<Result>(deviceId: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw new DeviceError(deviceId, error)
    throw error
  }
}
