import type { Context } from '../../context.ts'
import type { Database } from '../../db/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { parseId } from '../devices/device-id.ts'
import { sourceOf } from '../events/event-source.ts'
import { lockDevices, touch } from './presence.queries.ts'
import type { StateReport } from './state-reports.ts'
import { applyStateReports } from './state-reports.ts'

/** The context of a report. `viewer.accountId` owns the devices. */
export type Reporter = Pick<Context, 'db' | 'viewer'>

/** Applies all state reports or none. Throws NOT_FOUND for an id that is not a device or service of the viewer. */
export async function reportStates(context: Reporter, reports: readonly StateReport[]): Promise<void> {
  await context.db.transaction().execute((transaction) => reportStatesIn(transaction, context, reports))
}

/** `reportStates` in a transaction of the caller. It locks devices, then services, each in the order of their ids. */
export async function reportStatesIn(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  reports: readonly StateReport[],
): Promise<void> {
  const outcomes = await applyStateReports(transaction, viewer.accountId, { reports, source: sourceOf(viewer) })
  const failure = outcomes.find((outcome) => outcome instanceof ApiError)
  if (failure !== undefined) throw failure
}

/** Reports `active` for ttl seconds, for all of these devices or none. */
export const reportActive = (
  context: Reporter,
  { deviceIds, ttl, address }: { deviceIds: readonly string[]; ttl: number; address?: string | undefined },
): Promise<void> =>
  reportStates(
    context,
    deviceIds.map((id) => ({ id, state: 'active', ttl, address })),
  )

/** Reports `inactive` for all of these devices or none. Throws CONFLICT for a connected device, because it stays active. */
export const reportInactive = (
  context: Reporter,
  { deviceIds, address }: { deviceIds: readonly string[]; address?: string | undefined },
): Promise<void> =>
  reportStates(
    context,
    deviceIds.map((id) => ({ id, state: 'inactive', address })),
  )

/** Reports the state of a service or a device, by id. */
export const reportServiceState = (context: Reporter, report: StateReport): Promise<void> =>
  reportStates(context, [report])

/** Records that a device reported something now, in a transaction of the caller. Used for reports without a state. */
export async function recordReport(
  transaction: Database,
  { viewer }: Pick<Context, 'viewer'>,
  deviceId: string,
): Promise<void> {
  const id = parseId(deviceId)
  if (id === undefined) throw notFound('device', deviceId)
  const locked = await lockDevices(transaction, [{ accountId: viewer.accountId, deviceId: id }])
  if (locked.length === 0) throw notFound('device', deviceId)
  await touch(transaction, locked)
}
