import { getSessionGrant, notAMember } from '../../../../auth/sessions/sessions.ts'
import type { Context } from '../../../../context.ts'
import type { Database } from '../../../../db/database.ts'
import { isDeadlock, isForeignKeyViolation, isUniqueViolation } from '../../../../db/database-errors.ts'
import { ApiError, badInput } from '../../../../errors.ts'
import { assertStorable } from '../../../../lib/string-checks.ts'
import { isPermitted } from '../../../../permissions.ts'
import { bytesOfItems } from '../../../../rate-limits/storage-quotas.ts'
import type { Viewer } from '../../../../viewer.ts'
import { type NewEvent, recordEvents } from '../../../events/record.ts'
import { releaseDevices } from '../../../presence/mark-disconnected.ts'
import { assertNoPreviousRelease } from '../../../presence/previous-release.ts'
import type { State } from '../../device.ts'
import { countNewDevices } from '../bulk-registration.ts'
import { selectDeletedContents } from '../deleted-devices.queries.ts'
import { deleteDeviceRows, deleteOverridesOfDevices, type LockedDevice } from '../device-changes.queries.ts'
import { lockAllToRemove, readDeviceIds, valuesOf } from '../device-changes.ts'
import { cutOffDevices } from '../send-recheck-notifications.queries.ts'
import {
  copyDeviceRows,
  countMovedBytes,
  findNamesOfDevices,
  findTakenHardwareId,
  lockServicesToMove,
} from './transfer.queries.ts'

/** Moves devices to another account. Their earlier events stay in the viewer's account. Returns how many were moved. */
export async function transferDevices(
  context: Context,
  { accountId: to, deviceId }: { accountId: string; deviceId: readonly string[] },
): Promise<number> {
  const { db, viewer } = context
  const ids = readDeviceIds(deviceId)
  assertStorable(to, 'accountId')
  assertPossible(context, to)
  await explainConflicts(() =>
    db.transaction().execute(async (transaction) => {
      await assertNoPreviousRelease(transaction, 'moving devices to another account')
      const devices = await lockAllToRemove(transaction, viewer, ids)
      await lockServicesToMove(transaction, viewer.accountId, ids)
      await assertMayCreateDevices({ ...context, db: transaction }, to)
      await assertHardwareIdsFree(transaction, to, devices)
      await chargeReceiver({ ...context, db: transaction }, to, devices)
      const released = ids.map((id) => ({ accountId: viewer.accountId, deviceId: id }))
      await releaseDevices(transaction, released)
      for (let at = 0; at < devices.length; at += MOVED_AT_ONCE)
        await moveLocked(transaction, { viewer, to }, devices.slice(at, at + MOVED_AT_ONCE))
      await cutOffDevices(transaction, ids)
    }),
  )
  return ids.length
}

/** The maximum number of devices that one step moves. A step holds the contents of all its devices in memory. */
const MOVED_AT_ONCE = 50

function assertPossible({ viewer, isCluster }: Context, to: string): void {
  if (viewer.session === undefined)
    throw new ApiError('FORBIDDEN', 'only a signed-in person can move devices to another account: an access key cannot')
  if (to === viewer.accountId) throw badInput('accountId must be the ID of another account, not of the current account')
  if (isCluster)
    throw new ApiError(
      'UNAVAILABLE',
      'on a cluster, devices cannot move to another account, because that account can be on another node',
    )
}

async function assertMayCreateDevices({ db, clock, viewer }: Context, to: string): Promise<void> {
  const { accountId, personId = accountId, session = '' } = viewer
  const grant = await getSessionGrant({ db, clock }, { accountId: to, personId, session })
  if (!isPermitted(grant.permissions, 'DEVICE_CREATE'))
    throw new ApiError('FORBIDDEN', 'your role in the other account does not have the permission DEVICE_CREATE', {
      reason: 'permission',
      missing: [{ field: 'Mutation.transferDevices', permission: 'DEVICE_CREATE' }],
    })
  if (grant.restriction !== undefined)
    throw new ApiError(
      'FORBIDDEN',
      'to move devices, you need a role in the other account that is not restricted to some devices or attributes',
      { reason: 'device' },
    )
}

async function assertHardwareIdsFree(db: Database, to: string, devices: readonly LockedDevice[]): Promise<void> {
  const hardwareIds = devices.flatMap(({ hardwareId }) => hardwareId ?? [])
  const taken = await findTakenHardwareId(db, to, hardwareIds)
  if (taken !== undefined) throw hardwareIdTaken(JSON.stringify(taken))
}

const hardwareIdTaken = (which: string): ApiError =>
  new ApiError(
    'CONFLICT',
    `the hardwareId ${which} is in use in the other account: change it on one of the two devices that have it`,
  )

/**
 * Charges the other account for the values of the devices and for its transfer events. The viewer's account is charged
 * for its transfer events before the mutation runs.
 */
async function chargeReceiver(
  { db, viewer, storage }: Context,
  to: string,
  devices: readonly LockedDevice[],
): Promise<void> {
  const ids = devices.map(({ id }) => id)
  const moved = await countMovedBytes(db, viewer.accountId, ids)
  storage.chargeAccount(to, moved + bytesOfItems(devices.map(valuesOf)))
}

async function explainConflicts(move: () => Promise<void>): Promise<void> {
  try {
    await move()
  } catch (error) {
    if (isUniqueViolation(error, 'device_hardware_id')) throw hardwareIdTaken('of one of these devices')
    if (isDeadlock(error))
      throw new ApiError('CONFLICT', 'other requests changed the same devices at the same time: retry the request')
    // The other account was deleted during the move.
    if (isForeignKeyViolation(error)) throw notAMember()
    throw error
  }
}

async function moveLocked(
  transaction: Database,
  { viewer, to }: { viewer: Viewer; to: string },
  devices: readonly LockedDevice[],
): Promise<void> {
  const { accountId } = viewer
  const ids = devices.map(({ id }) => id)
  const contents = await selectDeletedContents(transaction, accountId, ids)
  const names = await findNamesOfDevices(transaction, accountId, ids)
  await countNewDevices(transaction, to, ids.length)
  await copyDeviceRows(transaction, { from: accountId, to, ids })
  await deleteOverridesOfDevices(transaction, accountId, ids)
  await deleteDeviceRows(transaction, accountId, ids)
  const eventOf = (device: LockedDevice, other: string, direction: 'out' | 'in'): NewEvent => ({
    type: 'DEVICE_TRANSFER',
    deviceId: device.id,
    targets: [{ id: device.id, name: device.name, kind: 'device' }],
    data: { accountId: other, direction, ...valuesOf(device) },
  })
  // In the account that the devices leave, the events contain the devices' values. The server needs these values to
  // check whether the devices matched a filter at the time of an earlier event.
  const left = devices.map((device) => {
    const { contents: kept = null, previous } = contents.get(device.id)!
    const event = eventOf(device, to, 'out')
    return { ...event, data: { ...event.data, ...(kept ?? { omitted: true }) }, previous }
  })
  const arrived = devices.map((device) => {
    const event = eventOf(device, accountId, 'in')
    const state = contents.get(device.id)!.previous.state as State
    return { ...event, state, data: { ...event.data, attributeNames: names.get(device.id) } }
  })
  await recordEvents(transaction, { viewer }, left)
  await recordEvents(transaction, { viewer: { ...viewer, accountId: to } }, arrived)
}
