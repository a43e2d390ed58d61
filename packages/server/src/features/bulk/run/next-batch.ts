import type { ResolvedFilter } from '@muster/filter'
import type { Database } from '../../../db/database.ts'
import type { NewDevice, NewDeviceFields } from '../../devices/changes/bulk-registration.queries.ts'
import { newDeviceRows } from '../../devices/changes/bulk-registration.ts'
import type { NewEvent } from '../../events/record.ts'
import { selectHardwareIds } from '../bulk-items.queries.ts'
import type { AttributeChanges, BulkJob } from '../bulk-job.ts'
import type { Place } from '../bulk-rows.queries.ts'
import { concernsServices } from '../preview/plan-undo.ts'
import { fitInMemory } from '../sizes/bulk-sizes.ts'
import { DeviceError } from './device-error.ts'
import { type BatchSize, type PendingItem, selectPending } from './pending.queries.ts'

/** The maximum number of devices in a batch, which is one transaction. */
export const BATCH = 100
/** The maximum size, in bytes, of the changes in a batch with more than one device. */
const BATCH_BYTES = 8 * 1024 * 1024
export const batchSize = ({ rate }: BulkJob): BatchSize => ({ devices: Math.min(rate, BATCH), bytes: BATCH_BYTES })

/**
 * A job with at least this rate, in devices per second, pauses between batches only while many requests are in flight.
 */
const UNLIMITED_RATE = 10_000
export const isUnlimited = ({ rate }: BulkJob): boolean => rate >= UNLIMITED_RATE

export interface Registration extends Pick<PendingItem, 'id' | 'rowName'> {
  device: NewDevice
  row: NewDeviceFields
  event: NewEvent
}

export interface NextBatch {
  items: readonly PendingItem[]
  registrations: ReadonlyMap<string, Registration>
  /** The hardware IDs for the batch's new devices that other devices already have. */
  takenHardwareIds: ReadonlySet<string>
  bytes: number
}

export interface BatchToRead {
  size: BatchSize
  /** If set, the batch contains only devices with these IDs. */
  ids?: readonly string[] | undefined
  /** The ID of the last device of the previous batch, whose devices may still be pending. */
  after?: string
}

export async function readNextBatch(db: Database, place: Place, next: BatchToRead): Promise<NextBatch> {
  const items = await selectPending(db, place, next)
  const registrations = new Map(
    items.flatMap(({ id, rowName, changes: { register } }) =>
      register === undefined ? [] : [[id, { id, rowName, device: register, ...newDeviceRows(register, id) }]],
    ),
  )
  const takenHardwareIds = await findTaken(db, place.accountId, registrations)
  return { items, registrations, takenHardwareIds, bytes: items.at(-1)?.bytesUpTo ?? 0 }
}

/** Reads the taken hardware IDs of a batch again if there were any, because they may be free now. */
export const withTakenHardwareIds = async (db: Database, accountId: string, next: NextBatch): Promise<NextBatch> =>
  next.takenHardwareIds.size === 0
    ? next
    : { ...next, takenHardwareIds: await findTaken(db, accountId, next.registrations) }

async function findTaken(
  db: Database,
  accountId: string,
  registrations: NextBatch['registrations'],
): Promise<Set<string>> {
  const hardwareIds = [...registrations.values()].flatMap(({ device }) => device.hardwareId ?? [])
  return new Set(hardwareIds.length === 0 ? [] : (await selectHardwareIds(db, accountId, hardwareIds)).keys())
}

/** Keeps the first devices that fit in memory together. Throws DeviceError if the first one does not fit. */
export async function fittingBatch(
  db: Database,
  accountId: string,
  { next, inside }: { next: NextBatch; inside: ResolvedFilter | undefined },
): Promise<NextBatch> {
  const { items } = next
  const contexts = items.flatMap(({ changes }) =>
    changesOfDevice(changes.setAttributes).flatMap(({ context }) => context ?? []),
  )
  const withServices = items.filter(({ changes }) => concernsServices(changes)).map(({ id }) => id)
  const ids = items.map(({ id }) => id)
  const fit = await fitInMemory(db, accountId, { ids, contexts: [...new Set(contexts)], withServices, inside })
  if (fit.error !== undefined) throw new DeviceError(fit.ids[0]!, fit.error)
  return { ...next, items: items.slice(0, fit.ids.length) }
}

export const changesOfDevice = (changes: readonly AttributeChanges[] = []): AttributeChanges[] =>
  changes.filter(({ service }) => service === undefined)
